import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContentBlock } from "@agentclientprotocol/sdk";
import { readReviewCommand, toUserInput } from "../../../agent-host/surfaces/acp/prompt-input.ts";

const text = (words: string): ContentBlock => ({ type: "text", text: words });
const link = (path: string): ContentBlock => ({ type: "resource_link", uri: `file://${path}`, name: "index.ts" });

function readText(...blocks: readonly ContentBlock[]): string | undefined {
	const [first] = toUserInput(blocks);
	return first?.kind === "text" ? first.text : undefined;
}

test("what is mentioned inside a sentence is named in its place, and attached", () => {
	const prompt = [text("Compare "), link("/p/a/index.ts"), text(" with ("), link("/p/b/index.ts"), text("), please")];
	assert.deepEqual(toUserInput(prompt), [
		{ kind: "text", text: "Compare /p/a/index.ts with (/p/b/index.ts), please" },
		{ kind: "file", path: "/p/a/index.ts" },
		{ kind: "file", path: "/p/b/index.ts" },
	]);
	const resource = { uri: "zed:///agent/rule/style", text: "Use tabs." };
	assert.deepEqual(toUserInput([text("Follow "), { type: "resource", resource }]), [
		{ kind: "text", text: "Follow zed:///agent/rule/style" },
		{ kind: "excerpt", title: "zed:///agent/rule/style", text: "Use tabs." },
	]);
});

test("the lines that an editor names are in the sentence and in the title of what is embedded", () => {
	const cases = [
		["file:///p/a.ts#L10-20", "/p/a.ts:10–20"],
		["file:///p/a.ts#L10:20", "/p/a.ts:10–20"],
		["file:///p/a.ts#L10-L20", "/p/a.ts:10–20"],
		["file:///p/a.ts#L10C2-L20C4", "/p/a.ts:10–20"],
		["file:///p/a.ts?lines=10-20", "/p/a.ts:10–20"],
		["file:///p/a.ts?symbol=f#L7:7", "/p/a.ts:7"],
		["file:///p/a.ts#L7", "/p/a.ts:7"],
		["file:///p/a.ts#usage", "/p/a.ts"],
	];
	for (const [uri = "", name = ""] of cases) {
		const resource = { uri, text: "x" };
		const attached = toUserInput([
			text("Look at "),
			{ type: "resource_link", uri, name: "a.ts" },
			text(", "),
			{ type: "resource", resource },
		]);
		assert.deepEqual(attached, [
			{ kind: "text", text: `Look at ${name}, ${name}` },
			{ kind: "file", path: "/p/a.ts" },
			{ kind: "excerpt", title: name, text: "x" },
		]);
	}
});

test("a title that is too long is cut, one that is empty is the address, and sound is refused", () => {
	const titleOf = (block: ContentBlock) =>
		toUserInput([text("Look at "), block]).flatMap((part) => {
			return part.kind === "excerpt" ? [part.title] : [];
		});
	const uri = `zed:///${"n".repeat(500)}`;
	const cut = `${uri.slice(0, 399)}…`;
	assert.deepEqual(titleOf({ type: "resource", resource: { uri, text: "x" } }), [cut]);
	assert.deepEqual(titleOf({ type: "resource_link", uri: "zed:///a", name: uri }), [cut]);
	assert.deepEqual(titleOf({ type: "resource_link", uri: "zed:///a", name: "" }), ["zed:///a"]);
	const sound: ContentBlock = { type: "audio", data: "AAAA", mimeType: "audio/wav" };
	assert.throws(() => toUserInput([text("Listen. "), sound]), /^HostError: Audio cannot be attached\.$/);
});

test("what is attached beside the text gets a line of its own, and alone it is no prompt", () => {
	assert.equal(readText(text("Fix it."), link("/p/a.ts"), link("/p/b.ts")), "Fix it.\n/p/a.ts\n/p/b.ts");
	assert.equal(readText(link("/p/a.ts"), text("Fix it.")), "/p/a.ts\nFix it.");
	assert.equal(readText(text("One."), text("Two.")), "One.\nTwo.");
	assert.equal(readText(link("/p/a.ts")), undefined);
});

test("what is embedded but too long or not text is read from its file; without a file it is refused, not left out", () => {
	const resource = (uri: string, content: { text: string } | { blob: string }): ContentBlock => ({
		type: "resource",
		resource: { uri, ...content },
	});
	const long = { text: "long ".repeat(40_001) };
	const binary = { blob: "AAAA" };
	for (const content of [long, binary]) {
		assert.deepEqual(toUserInput([text("Look at "), resource("file:///p/a.dat", content)]), [
			{ kind: "text", text: "Look at /p/a.dat" },
			{ kind: "file", path: "/p/a.dat" },
		]);
	}
	const refused = (content: { text: string } | { blob: string }) => () =>
		toUserInput([text("Look."), resource("zed:///selection", content)]);
	assert.throws(refused(long), /^HostError: zed:\/\/\/selection is longer than 200000 characters\. /);
	assert.throws(refused(binary), /^HostError: zed:\/\/\/selection is not text\. /);
});

test("/review reviews the file that is mentioned after it", () => {
	const [asked] = readReviewCommand(toUserInput([text("/review "), link("/p/a.ts"), text(" ")])) ?? [];
	assert.deepEqual(asked, { kind: "text", text: "/p/a.ts" });
});
