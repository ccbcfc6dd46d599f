import assert from "node:assert/strict";
import { test } from "node:test";
import { agoOf, setLanguage } from "../../../l10n/t.ts";

const HOUR = 3_600_000;

test("an age is shown in its largest unit, in the reader's language", () => {
	const said = [0, 5 * 60_000, 2.9 * HOUR, 25 * HOUR, 24 * 65 * HOUR].map((ms) => agoOf(0, ms));
	assert.deepEqual(said, ["this minute", "5 min. ago", "2 hr. ago", "yesterday", "2 mo. ago"]);
	setLanguage("de", {});
	assert.equal(agoOf(0, 2 * HOUR), "vor 2 Std.");
	setLanguage("en", undefined);
});
