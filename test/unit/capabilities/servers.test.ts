import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readCatalogue } from "../../../agent-host/capabilities/servers/catalogue.ts";
import { readElicitation } from "../../../agent-host/capabilities/servers/elicitation.ts";
import { findServers } from "../../../agent-host/capabilities/servers/find.ts";
import { nameTool, offerTools } from "../../../agent-host/capabilities/servers/offer.ts";
import { createPatience } from "../../../agent-host/capabilities/servers/patience.ts";
import { readPrompts, readPromptText } from "../../../agent-host/capabilities/servers/read-prompts.ts";
import { readResult } from "../../../agent-host/capabilities/servers/read-result.ts";
import { identifyClient } from "../../../agent-host/capabilities/servers/sign-in/identify-client.ts";
import { fillVariables, findVariables } from "../../../agent-host/capabilities/servers/variables.ts";
import { decide } from "../../../agent-host/permissions/decide/decide.ts";
import type { Policy } from "../../../agent-host/permissions/policy/policy.ts";
import { serverPolicy } from "../../../agent-host/permissions/resolve/server-policy.ts";
import { QuestionSubject } from "../../../agent-host/protocol/approval/question.ts";
import { ServerSettings, ServersSettings } from "../../../agent-host/protocol/settings/server-settings.ts";
import { lookAtServerCall } from "../../../agent-host/tools/server-tool.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { aPng } from "../../support/an-image.ts";

const OBJECT = { type: "object", properties: {} };

test("a tool's name is one that every provider takes, and no two tools share one", () => {
	const words = fc.oneof(
		fc.string({ minLength: 1, maxLength: 80, unit: "binary" }),
		fc.string({ minLength: 1, maxLength: 4, unit: fc.constantFrom("a", "_") }),
	);
	fc.assert(
		fc.property(fc.uniqueArray(fc.tuple(words, words), { maxLength: 20, selector: String }), (pairs) => {
			const names = pairs.map(([server, tool]) => nameTool(server, tool));
			for (const name of names) assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
			assert.equal(new Set(names).size, names.length);
		}),
	);
	assert.equal(nameTool("docs", "search"), "mcp__docs__search");
	assert.notEqual(nameTool("docs", "a b"), nameTool("docs", "a_b"));
	assert.notEqual(nameTool("docs", `${"x".repeat(80)}1`), nameTool("docs", `${"x".repeat(80)}2`));
});

test("usable tools of a server are kept within limits, and the rest is named", () => {
	const { tools, notes } = readCatalogue([
		{ name: "b", description: "Two.", inputSchema: OBJECT },
		{ name: "a", description: "o\u202en\u200be", inputSchema: { ...OBJECT, $schema: "x", anyOf: [{}] } },
		{ name: "a", description: "Again.", inputSchema: OBJECT },
		{ name: "task", inputSchema: OBJECT, execution: { taskSupport: "required" } },
		{ name: "list", inputSchema: { type: "array" } },
		{ name: "wide", inputSchema: { type: "object", properties: { x: { const: "y".repeat(9_000) } } } },
		{ description: "no name" },
		"nonsense",
		null,
	]);
	assert.deepEqual(tools, [
		{ name: "a", description: "one", parameters: OBJECT },
		{ name: "b", description: "Two.", parameters: OBJECT },
	]);
	assert.equal(notes.length, 7);
	const long = readCatalogue([{ name: "long", description: "x".repeat(1_000_000), inputSchema: {} }]);
	assert.equal(long.tools[0]?.description.length, 2_001);
	const many = readCatalogue(Array.from({ length: 500 }, (_, index) => ({ name: `t${index}`, inputSchema: {} })));
	assert.deepEqual([many.tools.length, many.notes], [128, ["Only the first 128 of 500 tools are used."]]);
});

test("arguments are described as every provider takes them, and a tool that has others is left out", () => {
	const describe = (properties: object, more: object = {}) =>
		readCatalogue([{ name: "tool", inputSchema: { type: "object", properties, ...more } }]).tools[0]?.parameters;
	const TEXT = { type: "string" };
	const tuple = { type: "array", items: [TEXT, { type: "array" }], additionalItems: false };
	assert.deepEqual(describe({ pair: tuple, list: { type: "array" }, few: { minimum: 0, exclusiveMinimum: true } }), {
		type: "object",
		properties: {
			pair: { type: "array", prefixItems: [TEXT, { type: "array", items: {} }], items: false },
			list: { type: "array", items: {} },
			few: { minimum: 0 },
		},
	});
	const old = { anyOf: [TEXT, { type: "array", items: [TEXT] }], required: true, default: { items: [1] } };
	assert.deepEqual(describe({ old }, { required: ["old"] }), {
		type: "object",
		properties: {
			old: { anyOf: [TEXT, { type: "array", prefixItems: [TEXT], items: {} }], default: { items: [1] } },
		},
		required: ["old"],
	});
	assert.deepEqual(describe([]), { type: "object", properties: {} });
	const usual = {
		type: "object",
		properties: { text: { ...TEXT, enum: ["a"] } },
		required: ["text"],
		$defs: { a: TEXT },
	};
	assert.equal(
		JSON.stringify(readCatalogue([{ name: "tool", inputSchema: usual }]).tools[0]?.parameters),
		JSON.stringify(usual),
	);
	for (const name of ["StartTime<", "rule_name[]", "x".repeat(65)]) {
		const { tools, notes } = readCatalogue([
			{ name: "tool", inputSchema: { type: "object", properties: { [name]: TEXT } } },
		]);
		assert.deepEqual(
			[tools, notes],
			[[], [`tool has an argument that models cannot be offered, ${name}, so it is left out.`]],
		);
	}
});

test("any result becomes text within limits plus its first image, and an error stays an error", () => {
	const image = aPng(4, 3).toString("base64");
	const content = [
		{ type: "text", text: "One." },
		{ type: "text", text: "For you.", annotations: { audience: ["user"] } },
		{ type: "image", data: image, mimeType: "image/png" },
		{ type: "image", data: "bm8=", mimeType: "image/png" },
		{ type: "resource", resource: { uri: "file:///a", text: "A." } },
		{ type: "resource_link", uri: "https://b.example/", name: "b" },
		{ type: "audio", data: "x" },
	];
	const read = readResult({ content });
	assert.equal(
		read.text,
		"One.\n[image]\n[The image is not a PNG, JPEG, GIF or WebP image.]\n[resource file:///a]\nA.\n[link https://b.example/ (b)]\n[audio is not supported]",
	);
	assert.deepEqual([read.ok, read.image?.width, read.image?.height], [true, 4, 3]);
	assert.deepEqual(readResult({ content: [], structuredContent: { n: 1 } }), { ok: true, text: '{"n":1}' });
	assert.deepEqual(readResult({ content: [{ type: "text", text: "No." }], isError: true }), { ok: false, text: "No." });
	fc.assert(fc.property(fc.anything(), (raw) => void assert.equal(typeof readResult(raw).text, "string")));
});

test("any change in a server's settings, or in what it says about a tool, makes another definition", () => {
	const settings = ServersSettings.parse({ docs: { command: "docs" }, off: { command: "x", enabled: false } });
	const [server, ...more] = findServers(settings);
	assert.ok(server !== undefined && more.length === 0);
	const offer = (description: string, from = server) =>
		offerTools([
			{
				server: from,
				state: { kind: "running" },
				catalogue: { tools: [{ name: "a", description, parameters: OBJECT }], prompts: [], resources: [], notes: [] },
			},
		])[0]?.digest;
	const [other] = findServers(ServersSettings.parse({ docs: { command: "docs", args: ["-v"] } }));
	assert.equal(offer("One."), offer("One."));
	assert.equal(new Set([offer("One."), offer("Two."), offer("One.", other)]).size, 3);
});

test("a server's settings are a command or an address, and misspelt names are rejected", () => {
	const problem = (value: unknown) => ServerSettings.safeParse(value).error?.issues.length;
	assert.equal(problem({ command: "npx", args: ["-y", "x"] }), undefined);
	assert.equal(problem({ url: "https://a.example/mcp", headers: { a: "b" } }), undefined);
	for (const bad of [{}, { command: "" }, { url: "ftp://a.example" }, { command: "a", ulr: "x" }, { url: "x" }]) {
		assert.ok(problem(bad), JSON.stringify(bad));
	}
});

test("a call to a server asks in every mode but Full Access, and is refused where nobody can be asked or nothing may change", () => {
	const access = { kind: "server", server: "docs", tool: "a", definition: "d", uncontained: false } as const;
	const verdict = (change: Partial<Policy>) => decide(access, { ...aPolicy(), ...change }).kind;
	for (const mode of ["readOnly", "ask", "workspaceWrite"] as const) assert.equal(verdict({ mode }), "ask");
	assert.equal(verdict({ mode: "full" }), "allow");
	assert.equal(verdict({ mode: "workspaceWrite", approval: "never" }), "deny");
	assert.equal(verdict({ mode: "full", commands: false }), "deny");
	assert.equal(verdict({ mode: "readOnly", plan: { mode: "full", network: "on" } }), "deny");
});

test("each call says if its server's program runs outside the sandbox", () => {
	const tools = { tools: [{ name: "a", description: "", parameters: {} }], prompts: [], resources: [], notes: [] };
	const reasonFor = (settings: object): string => {
		const server = { name: "docs", settings: ServerSettings.parse(settings), digest: "d", inputs: [] };
		const [tool] = offerTools([{ server, state: { kind: "running" }, catalogue: tools }]);
		const { access } = lookAtServerCall(tool ?? assert.fail(), {}, { callServer: () => async () => assert.fail() });
		return decide(access, { ...aPolicy(), mode: "workspaceWrite" }).reason.text;
	};
	assert.match(reasonFor({ command: "docs", sandboxEnabled: false }), /docs, which runs outside the sandbox/);
	for (const settings of [{ command: "docs" }, { url: "https://a.example/mcp" }])
		assert.doesNotMatch(reasonFor(settings), /outside/);
});

test("a contained server writes and connects only where its settings say, whatever the thread's policy allows", () => {
	const filesystem = [
		{ path: "/", access: "read" },
		{ path: "/repo", access: "write" },
		{ path: "/repo/.env", access: "none" },
	] as const;
	const base: Policy = { ...aPolicy(), mode: "full", filesystem, network: { kind: "on" } };
	const settings = (more: object) =>
		ServerSettings.parse({ command: "docs", env: { A: "1" }, ...more }) as Parameters<typeof serverPolicy>[1];
	const contained = serverPolicy(base, settings({}));
	assert.deepEqual(
		contained.filesystem.map(({ access }) => access),
		["read", "read", "none"],
	);
	assert.deepEqual(
		[contained.network, contained.mode, contained.environment.set],
		[{ kind: "off" }, "workspaceWrite", { A: "1" }],
	);
	const granted = { filesystem: { allowWrite: ["/data"] }, network: { allowedDomains: ["a.example"] } };
	const more = serverPolicy(base, settings({ sandbox: granted }));
	assert.deepEqual(more.filesystem.at(-1), { path: "/data", access: "write" });
	assert.deepEqual(more.network, { kind: "allow", hosts: ["a.example"] });
});

test("a call ends after silence, but not while it reports progress or waits for a person", async () => {
	const timers: { due: number; work: () => void }[] = [];
	let now = 0;
	const setTimer = (ms: number, work: () => void) => {
		const timer = { due: now + ms, work };
		timers.push(timer);
		return () => void timers.splice(timers.indexOf(timer), 1);
	};
	const pass = (ms: number): void => {
		now += ms;
		for (const timer of timers.filter(({ due }) => due <= now)) timer.work();
	};
	const patience = createPatience(100, setTimer);
	pass(90);
	patience.touch();
	pass(90);
	const person = Promise.withResolvers<string>();
	const answered = patience.during(() => person.promise);
	pass(100_000);
	patience.touch();
	pass(100_000);
	assert.equal(patience.signal.aborted, false);
	person.resolve("At last.");
	assert.equal(await answered, "At last.");
	pass(99);
	assert.equal(patience.signal.aborted, false);
	pass(1);
	assert.match(String(patience.signal.reason), /silent/);
	patience.end();
});

test("any question from a server is turned into one that the protocol accepts, or refused", () => {
	const words = fc.string({ maxLength: 3_000, unit: "binary" });
	const field = fc.record(
		{
			type: fc.constantFrom("string", "number", "boolean", "array", "object"),
			title: words,
			description: words,
			enum: fc.array(words, { maxLength: 4 }),
			default: fc.anything(),
		},
		{ requiredKeys: ["type"] },
	);
	const params = fc.record({
		message: words,
		requestedSchema: fc.record({ properties: fc.dictionary(words, field, { maxKeys: 14 }) }),
	});
	fc.assert(
		fc.property(fc.oneof(params, fc.anything()), (asked) => {
			const elicitation = readElicitation("docs", asked);
			if ("refused" in elicitation) return;
			QuestionSubject.parse(elicitation.subject);
			assert.deepEqual(elicitation.read(undefined), { action: "cancel" });
			assert.deepEqual(elicitation.read({ choice: "dismiss" }), { action: "decline" });
		}),
	);
});

test("users see a server's prompts that have a usable name, each once and within limits", () => {
	const prompts = readPrompts([
		{
			name: "b",
			description: "x".repeat(1_000),
			arguments: [{ name: "who", description: "a\u202eb", required: true }],
		},
		{ name: "a", arguments: null },
		{ name: "a", description: "Again." },
		{ name: "many", arguments: Array.from({ length: 50 }, (_, index) => ({ name: `a${index}` })) },
		{ name: "x".repeat(65) },
		{ name: 3 },
		"nonsense",
		null,
	]);
	assert.deepEqual(
		prompts.map(({ name, arguments: takes }) => [name, takes]),
		[
			["a", []],
			["b", [{ name: "who", description: "ab", required: true }]],
		],
	);
	assert.equal(prompts[1]?.description.length, 301);
	fc.assert(fc.property(fc.array(fc.anything()), (listed) => void readPrompts(listed)));
	fc.assert(fc.property(fc.anything(), (raw) => void assert.equal(typeof readPromptText(raw), "string")));
	const messages = [{ role: "user", content: { type: "text", text: "y".repeat(1_000_000) } }];
	assert.equal(readPromptText({ messages }).length, 60_001);
});

test("a client that the user registered by hand keeps its secret, which may come from an input", async () => {
	const oauth = { clientId: "me", clientSecret: `$${"{input:secret}"}` };
	const settings = ServerSettings.parse({ url: "https://docs.example.com/mcp", oauth });
	assert.deepEqual([...findVariables(settings)], [["input:secret", { kind: "input", id: "secret" }]]);
	const filled = fillVariables(settings, new Map([["input:secret", "s3cret"]]));
	assert.ok("url" in filled);
	const about = { state: "s", scope: undefined, configured: filled.oauth };
	const found = await identifyClient({ metadata: { issuer: "https://id.example.com" } as never, scopes: [] }, about, {
		redirect: async (_, kind) => `${kind}:/back`,
		fetch: () => assert.fail("nothing is registered"),
	});
	assert.deepEqual(found, { client: { id: "me", secret: "s3cret" }, redirect: "editor:/back" });
});
