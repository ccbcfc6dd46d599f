import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { findBrowser } from "../support/browser.ts";
import type { Desk } from "../support/editor-desk.ts";
import { FOLLOW_SYSTEM, takeBothLooks } from "../support/editor-looks.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { installNpmServers, type NpmServers, readDocumentedServers } from "../support/npm-servers.ts";
import { bodyOf } from "../support/request-page.ts";
import { copySample } from "../support/sample.ts";

const session = createEditorSession();
const documented = readDocumentedServers();
let installed: NpmServers;

before(() => {
	installed = installNpmServers();
});
after(() => installed.remove());

test(
	"four npm servers set up as documented are accepted, listed, and each called in a turn after its approval",
	session.alone(async (desk) => {
		const folder = copySample(desk.editor.root);
		installed.moveInto(folder);
		mkdirSync(join(folder, "notes"));
		mkdirSync(join(folder, ".vscode"));
		writeFileSync(join(folder, ".vscode", "mcp.json"), documented.file);
		const { playwright } = documented.settings;
		assert.ok(playwright);
		const browser = ["--headless", "--no-sandbox", "--executable-path", findBrowser() ?? assert.fail("no Chromium")];
		const { window, chat, play, model } = await openThread(
			desk,
			{ folder },
			{
				"security.workspace.trust.enabled": false,
				"vitrine.servers": { playwright: { ...playwright, args: [...playwright.args, ...browser] } },
				...FOLLOW_SYSTEM,
			},
		);
		await window.page.setViewportSize({ width: 1_400, height: 1_000 });

		play(says("Ready."));
		await chat.ask("Good morning.");
		const consent = await chat.question();
		const shown = await consent.text();
		for (const name of ["everything", "filesystem .", "memory"])
			assert.match(shown, new RegExp(`starts: npx -y @modelcontextprotocol/server-${name}`));
		await takeBothLooks(window, "npm servers consent");
		await consent.decide("allow");
		await chat.waitForEnd();
		await window.expandView("MCP Servers");
		for (const name of ["everything", "files", "memory", "playwright"])
			await window
				.treeRow("MCP Servers", name)
				.filter({ hasText: /Running,.* \d+ tools/ })
				.waitFor();
		await window.treeRow("MCP Servers", /playwright.*Running, outside the sandbox, \d+ tools/).waitFor();
		await takeBothLooks(window, "npm servers tree");

		const url = await servePage(desk, "<h1>Open from nine to six</h1>");
		const entities = [{ name: "Corner shop", entityType: "shop", observations: ["It sells bread."] }];
		play(
			calls("find_server_tools", { query: "echo message" }),
			use("everything", "echo", { message: "Hello from the corner shop." }),
			use("files", "read_text_file", { path: "README.md" }),
			use("memory", "create_entities", { entities }),
			use("playwright", "browser_navigate", { url }),
			use("playwright", "browser_snapshot", {}),
			says("All four were used."),
		);
		await chat.ask("Use each of them.");
		for (const [name, argument] of [
			["echo", /Hello from the corner shop\..*everything/s],
			["read", /README\.md.*files/s],
			["remember", /It sells bread\..*memory/s],
			["navigate", /127\.0\.0\.1.*playwright, which runs outside the sandbox/s],
			["snapshot", /playwright/],
		] as const) {
			const question = await chat.question();
			assert.match(await question.text(), argument);
			await takeBothLooks(window, `npm servers card ${name}`);
			await question.decide("allow");
		}
		await chat.rows("agentMessage").filter({ hasText: "All four were used." }).waitFor();
		await chat.waitForEnd();
		const { input } = bodyOf(model.requests.at(-1) ?? assert.fail("no request came"));
		const [found, echoed, read, remembered, , seen] = input.flatMap(({ output }) =>
			output === undefined ? [] : [String(output)],
		);
		assert.match(found ?? "", /"server":"everything","tool":"echo"/, "so many tools are found instead of listed");
		assert.match(echoed ?? "", /Hello from the corner shop\./);
		assert.ok(read?.includes(readFileSync(join(folder, "README.md"), "utf8").split("\n", 1)[0] ?? "#"), read);
		assert.match(remembered ?? "", /It sells bread\./);
		assert.match(readFileSync(join(folder, "notes", "memory.jsonl"), "utf8"), /It sells bread\./);
		assert.match(seen ?? "", /heading "Open from nine to six"/);
		await chat.transcript.getByText("Called 5 MCP tools, searched 1 time").waitFor();
		await takeBothLooks(window, "npm servers used");
		assert.deepEqual(window.pageErrors, []);
	}),
);

test("the versions under test belong to the packages that the documentation installs", () => {
	const { devDependencies } = JSON.parse(
		readFileSync(join(import.meta.dirname, "npm-servers", "package.json"), "utf8"),
	);
	assert.deepEqual(documented.packages, Object.keys(devDependencies));
});

function use(server: string, tool: string, input: Readonly<Record<string, unknown>>) {
	return calls("call_server_tool", { server, tool, arguments: input });
}

/** A page on this machine that only the browser of a server reads. */
async function servePage(desk: Desk, html: string): Promise<string> {
	const web = createServer((_, response) => response.setHeader("content-type", "text/html").end(html));
	desk.defer(async () => {
		web.closeAllConnections();
		web.close();
	});
	web.listen(0, "127.0.0.1");
	await once(web, "listening");
	return `http://127.0.0.1:${(web.address() as AddressInfo).port}/`;
}
