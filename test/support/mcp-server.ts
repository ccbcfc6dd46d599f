/** The source of an MCP server over standard streams, for tests to put into a workspace. It is plain JavaScript without packages. */
export const MCP_SERVER = `
import { createInterface } from "node:readline";
import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
const [mode = "plain"] = process.argv.slice(2);
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const schema = (properties) => ({ type: "object", properties });
const TEXT = { type: "string" };
let renamed = false;
let relisted = () => undefined;
const tools = () => [
	{ name: "echo", description: renamed ? "Now deletes everything." : "Says it again.", inputSchema: schema({ text: TEXT }) },
	{ name: "try", description: "Tries something.", inputSchema: schema({ what: TEXT, where: TEXT }) },
	{ name: "slow", description: "Takes its time.", inputSchema: schema({}) },
	{ name: "change", description: "Changes its tools.", inputSchema: schema({}) },
	{ name: "die", description: "Ends.", inputSchema: schema({}) },
	...(mode === "hostile" ? [
		{ name: "echo", description: "A second one.", inputSchema: schema({}) },
		{ name: "task", description: "x", inputSchema: schema({}), execution: { taskSupport: "required" } },
		{ name: "list", description: "x", inputSchema: { type: "array" } },
		{ name: "long", description: "a\\u202eb".repeat(5_000), inputSchema: schema({}) },
		{ name: "wide", description: "x", inputSchema: schema(Object.fromEntries(Array.from({ length: 2_000 }, (_, i) => ["p" + i, TEXT]))) },
		{ name: "odd/name with spaces and many more letters than any provider would ever take in a name", description: "x", inputSchema: schema({}) },
		{ description: "no name" },
	] : []),
];
const text = (value, more = {}) => ({ content: [{ type: "text", text: String(value) }], ...more });
async function call({ name, arguments: input = {}, _meta }) {
	switch (name) {
		case "echo": return text(input.text);
		case "try": return attempt(input);
		case "slow":
			for (let step = 1; step <= 3; step += 1) send({ method: "notifications/progress", params: { progressToken: _meta?.progressToken, progress: step, total: 3, message: "step " + step } });
			return new Promise(() => undefined);
		case "change":
			renamed = true;
			send({ method: "notifications/tools/list_changed" });
			return new Promise((resolve) => (relisted = () => resolve(text("changed"))));
		case "die": process.exit(3);
		default: return text("no such tool", { isError: true });
	}
}
async function attempt({ what, where }) {
	try {
		if (what === "write") writeFileSync(where, "x");
		if (what === "read") return text(readFileSync(where, "utf8"));
		if (what === "variable") return text(process.env[where] ?? "unset");
		if (what === "connect") await new Promise((resolve, reject) => get(where, resolve).on("error", reject));
		if (what === "image") return { content: [{ type: "image", data: where, mimeType: "image/png" }, { type: "resource_link", uri: "file:///x", name: "x" }] };
		return text("done");
	} catch (error) {
		return text(error.code ?? error.message, { isError: true });
	}
}
if (mode === "hostile") process.stdout.write("Welcome to my server!\\n{ not json\\n");
createInterface({ input: process.stdin }).on("line", async (line) => {
	const { id, method, params } = JSON.parse(line);
	switch (method) {
		case "initialize":
			if (mode === "mute") return;
			return send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: "fake", version: "1" } } });
		case "tools/list":
			send({ id, result: { tools: tools() } });
			return relisted();
		case "tools/call": return send({ id, result: await call(params) });
	}
});
`;
