import assert from "node:assert/strict";
import { test } from "node:test";
import type { Customization } from "../../../agent-host/capabilities/consent/customization.ts";
import { answerWith, judgeConsent, showCustomization } from "../../../agent-host/capabilities/consent/judge-consent.ts";

const FIRST: Customization = { kind: "skill", name: "greet", path: "/w/greet", digest: "a", text: "one\ntwo\nthree" };
const CHANGED: Customization = { ...FIRST, digest: "b", text: "one\n2\nthree" };

test("an answer counts for exactly the content it was given about", () => {
	const agreed = answerWith(FIRST, "agreed", undefined);
	const refused = answerWith(FIRST, "refused", undefined);
	assert.deepEqual(
		[judgeConsent(FIRST, undefined), judgeConsent(FIRST, agreed), judgeConsent(FIRST, refused)],
		["unasked", "agreed", "refused"],
	);
	assert.deepEqual([judgeConsent(CHANGED, agreed), judgeConsent(CHANGED, refused)], ["unasked", "unasked"]);
});

test("new content is shown whole, changed content as a diff against what was agreed to", () => {
	assert.deepEqual(showCustomization(FIRST, undefined), { ...FIRST, isChange: false });
	const shown = showCustomization(CHANGED, answerWith(FIRST, "agreed", undefined));
	assert.deepEqual(shown, { ...CHANGED, text: "@@ -2,1 +2,1 @@\n one\n-two\n+2\n three", isChange: true });
});

test("after a refusal the diff is still against what was agreed to, and without any such everything is shown", () => {
	const agreed = answerWith(FIRST, "agreed", undefined);
	assert.equal(answerWith(CHANGED, "refused", agreed).agreedText, FIRST.text);
	assert.equal(showCustomization(CHANGED, answerWith(FIRST, "refused", undefined)).isChange, false);
});

test("a change that shows in no line is shown as the whole content", () => {
	const sameText = { ...FIRST, digest: "c" };
	assert.deepEqual(showCustomization(sameText, answerWith(FIRST, "agreed", undefined)), {
		...sameText,
		isChange: false,
	});
});
