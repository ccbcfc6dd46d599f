import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { FromWebview } from "../../media/wire.ts";
import { openPaperPanel, type PaperPanel } from "./vscode-stub.ts";

let panel: PaperPanel;
const top = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-paper-")));
const [workspace, outside] = [join(top, "work"), join(top, "outside")];
before(async () => {
	for (const folder of [workspace, outside]) {
		mkdirSync(folder);
		writeFileSync(join(folder, "file.ts"), "");
	}
	symlinkSync(outside, join(workspace, "way-out"));
	symlinkSync(join(outside, "file.ts"), join(workspace, "innocent.ts"));
	panel = await openPaperPanel(workspace);
});
after(() => {
	rmSync(top, { recursive: true });
});

async function until(holds: () => boolean, problem: string): Promise<void> {
	for (const end = performance.now() + 5_000; !holds(); await new Promise(setImmediate)) {
		assert.ok(performance.now() < end, problem);
	}
}

async function effectsOf(...messages: readonly unknown[]): Promise<readonly string[]> {
	panel.effects.length = 0;
	for (const message of messages) await panel.post(message);
	return [...panel.effects];
}

test("a valid message has its effect, so that the tests below would notice one", async () => {
	const messages = [
		{ type: "run", command: "showLog" },
		{ type: "openLink", url: "https://example.com/" },
		{ type: "copy", text: "x" },
		{ type: "submit", id: "1", text: "x" },
	];
	assert.deepEqual(await effectsOf(...messages), [
		"run showLog",
		"open https://example.com/",
		"copy x",
		"request thread/start",
	]);
});

test("Retry of a command that a record attributes to the user puts it into the composer, and runs nothing", async () => {
	const command = { kind: "command", id: "c", callId: "c", name: "run_command", title: "Run git status" };
	const item = { ...command, status: "interrupted", arguments: '{"command":"touch planted"}', by: "user" };
	const events = [{ seq: 1, at: 1, event: { type: "itemCompleted", turnId: "t", item } }];
	panel.answers.set("thread/read", { title: "x", events, last: 1 });
	panel.answers.set("thread/resume", { threadId: "theirs", last: 1 });
	await effectsOf({ type: "ready" }, { type: "openThread", threadId: "theirs" });
	await effectsOf({ type: "retry", turnId: "t" });
	const isDone = () => panel.effects.some((effect) => effect.startsWith("compose") || effect === "request turn/start");
	for (let turns = 0; turns < 1_000 && !isDone(); turns += 1) await new Promise(setImmediate);
	panel.answers.clear();
	assert.ok(panel.effects.includes("compose !touch planted"), panel.effects.join());
	assert.equal(panel.effects.includes("request turn/start"), false);
});

test("Retry sends all that was attached to the prompt, unchanged, and an edited prompt can take it along again", async () => {
	const selection = { kind: "selection", path: "a.ts", from: 1, to: 2, text: "as it was" };
	const attached = [{ kind: "editor", openFiles: ["a.ts"], unsavedFiles: [] }, selection];
	const item = { kind: "userMessage", id: "i", messageKind: "plain", text: "Look.", attached };
	const events = [{ seq: 1, at: 1, event: { type: "itemCompleted", turnId: "t", item } }];
	panel.answers.set("thread/read", { title: "x", events, last: 1 });
	panel.answers.set("thread/resume", { threadId: "theirs", last: 1 });
	const inputs = () =>
		panel.requests.flatMap(({ name, params }) => (name === "turn/start" ? [Object(params).input] : []));
	await effectsOf({ type: "ready" }, { type: "openThread", threadId: "theirs" }, { type: "retry", turnId: "t" });
	await until(() => inputs().length === 1, "no turn was started");
	await panel.post({ type: "attachAgain", turnId: "t" });
	await until(() => panel.attached.length === 1, "nothing was attached again");
	await panel.post({ type: "submit", id: "2", text: "Look again.", attached: panel.attached });
	await until(() => inputs().length === 2, "no second turn was started");
	panel.answers.clear();
	assert.deepEqual(inputs(), [
		[{ kind: "text", text: "Look." }, ...attached],
		[{ kind: "text", text: "Look again." }, selection],
	]);
});

test("a message that is not one of ours has no effect", async () => {
	const messages = [
		undefined,
		null,
		"ready",
		[],
		{ type: "run" },
		{ type: "run", command: "workbench.action.terminal.new" },
		{ type: "run", command: { toString: () => "showLog" } },
		{ type: "openLink", url: ["https://example.com/"] },
		{ type: "openLink", url: `https://example.com/${"x".repeat(5_000)}` },
		{ type: "copy", text: { toString: () => "x" } },
		{ type: "submit", id: 1, text: "x" },
		{ type: "approve", id: "1" },
		{ type: "openFile", path: "/etc/passwd" },
	];
	assert.deepEqual(await effectsOf(...messages), []);
});

test("random messages have no effect and throw nothing", async () => {
	panel.effects.length = 0;
	const word = fc.constantFrom(
		"run",
		"openLink",
		"copy",
		"submit",
		"retry",
		"showLog",
		"https://a.invalid",
		1,
		null,
		[],
		{},
	);
	const names = fc.constantFrom("type", "id", "text", "command", "url", "turnId");
	const almost = fc.dictionary(names, fc.oneof(word, fc.anything()));
	await fc.assert(
		fc.asyncProperty(fc.oneof(fc.anything(), almost), async (message) => {
			panel.effects.length = 0;
			await panel.post(message);
			// By chance a message may be whole; then it is one of those that may do something.
			if (FromWebview.safeParse(message).success) return;
			assert.deepEqual(panel.effects, []);
		}),
		{ numRuns: 5_000, seed: 51 },
	);
});

const SCHEMES = [
	"command:workbench.action.reloadWindow",
	"CoMmAnD:workbench.action.reloadWindow",
	"vscode://vitrine.vitrine/x",
	"vscode-insiders://x",
	"vscode-resource:/etc/passwd",
	"vscode-webview://x",
	"file:///etc/passwd",
	"data:text/html,x",
	"javascript:alert(1)",
	"\u0001javascript:alert(1)",
	" javascript:alert(1)",
	"blob:https://example.com/x",
	"mailto:a@example.com",
	"ssh://example.com",
	"smb://example.com/share",
	"ms-settings:",
	"/etc/passwd",
	"//example.com/x",
	"",
];

test("a link opens only when it leads to the web", async () => {
	assert.deepEqual(await effectsOf(...SCHEMES.map((url) => ({ type: "openLink", url }))), []);
});

for (const [what, message] of [
	["opened", { type: "openFile" }],
	["written to", { type: "applyCode", text: "x" }],
] as const) {
	test(`a file that an answer names is ${what} only when it really lies in the workspace`, async () => {
		const named = [
			"../outside/file.ts",
			"way-out/file.ts",
			"innocent.ts",
			join(outside, "file.ts"),
			"/etc/passwd",
			".",
		];
		await panel.post({ type: "ready" });
		panel.effects.length = 0;
		for (const path of named) {
			const told = panel.problems.length;
			await panel.post({ ...message, path });
			await until(() => panel.problems.length > told, `nothing was said of ${path}`);
		}
		assert.deepEqual(panel.effects, []);
		await panel.post({ ...message, path: "file.ts" });
		await until(() => panel.effects.length > 0, "the file was not shown");
		assert.equal(panel.effects[0], `show ${join(workspace, "file.ts")}`);
	});
}

test("the page may load only files of its own folder, and no link on it runs a command", () => {
	assert.deepEqual(panel.options(), { enableScripts: true, localResourceRoots: ["extension/media/dist"] });
});

test("while the chat is in a tab its view runs no script and sends nothing; closing the tab brings it back", async () => {
	const usual = panel.options();
	await panel.chats.moveTo("tab");
	assert.deepEqual(panel.options(), { enableCommandUris: ["vitrine.showChatInView"], localResourceRoots: [] });
	assert.doesNotMatch(panel.html(), /<script/);
	assert.deepEqual(await effectsOf({ type: "run", command: "showLog" }), []);
	await panel.chats.moveTo("view");
	assert.deepEqual(panel.options(), usual);
	assert.match(panel.html(), /<script/);
	assert.deepEqual(await effectsOf({ type: "run", command: "showLog" }), ["run showLog"]);
});
