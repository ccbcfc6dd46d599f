import assert from "node:assert/strict";
import { test } from "node:test";
import { LEVEL_OF, levelOf } from "../../../extension/attach/editor-context-level.ts";
import {
	cutText,
	fittingLines,
	lastText,
	MAX_TEXT_CHARS,
	rangeLabel,
	textOfLines,
} from "../../../extension/attach/lines.ts";
import { createOffers, type Offer } from "../../../extension/attach/offer.ts";
import { looksSecret } from "../../../extension/attach/secret-files.ts";

test("a chip names the lines that fit, and exactly those are sent", () => {
	const line = "x".repeat(999);
	const lines = fittingLines(() => line, { from: 5, to: 500 });
	assert.deepEqual(lines, { from: 5, to: 24 });
	assert.equal(rangeLabel("a.ts", lines), "a.ts:5-24");
	assert.equal(textOfLines(() => line, lines).split("\n").length, 20);
	assert.deepEqual(
		fittingLines(() => line, { from: 5, to: 7 }),
		{ from: 5, to: 7 },
	);
});

test("a single line that is too long is cut, and says so", () => {
	const lines = fittingLines(() => "x".repeat(MAX_TEXT_CHARS + 7), { from: 1, to: 2 });
	assert.equal(rangeLabel("a.ts", lines), "a.ts:1");
	assert.match(cutText("x".repeat(MAX_TEXT_CHARS + 7)), /x\n\[cut off: 7 more characters\]$/);
});

test("of a long terminal the end goes along, with a line that says so, and never more than fits", () => {
	assert.equal(lastText("$ ls\na.ts\n\n\n"), "$ ls\na.ts");
	const long = lastText(`${"x".repeat(MAX_TEXT_CHARS)}the end\n`);
	assert.match(long, /^\[cut off: \d+ characters before this\]\nx+the end$/);
	assert.equal(cutText(long), long);
});

test("text of files that usually hold keys does not go along by itself", () => {
	const names = ["/a/.env", "/a/.env.local", "C:\\a\\server.pem", "/h/.ssh/id_ed25519", "/a/.npmrc", "/a/cert.KEY"];
	assert.deepEqual(names.filter(looksSecret), names);
	const plain = ["/a/env.ts", "/.env/main.ts", "/a/id_list.ts", "/a/keys.ts", "/a/environment.md"];
	assert.deepEqual(plain.filter(looksSecret), []);
});

function anOffer(key: string): Offer {
	return { key, kind: "file", label: key, title: key, read: () => ({ kind: "file", path: key }) };
}

test("the page learns names, and can attach only what was offered to it", async () => {
	const offers = createOffers();
	assert.deepEqual(offers.make([anOffer("a")]), [{ key: "a", kind: "file", label: "a", title: "a" }]);
	assert.deepEqual(await offers.read(["a"]), [{ kind: "file", path: "a" }]);
	await assert.rejects(offers.read(["a", "/etc/passwd"]), /no longer known/);
});

test("of the editor goes along what is set, nothing for a setting that is none, and nothing in a workspace that is not trusted", () => {
	const settings = ["off", "activeFile", "selection", "openTabs", "everything", undefined];
	assert.deepEqual(
		settings.map((setting) => levelOf(setting, true)),
		[0, LEVEL_OF.activeFile, LEVEL_OF.selection, LEVEL_OF.openFiles, 0, LEVEL_OF.selection],
	);
	assert.deepEqual(new Set(settings.map((setting) => levelOf(setting, false))), new Set([0]));
});
