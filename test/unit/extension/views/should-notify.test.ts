import assert from "node:assert/strict";
import { test } from "node:test";
import { shouldChime, shouldNotify } from "../../../../extension/views/activity/should-notify.ts";

test("whoever looks at the chat is not told what it shows, unless always; whoever does not is, unless never", () => {
	const sights = [true, false].flatMap((isInView) => [true, false].map((isFocused) => ({ isInView, isFocused })));
	const told = ["off", "unfocused", "always", undefined].map((setting) =>
		sights.map((sight) => shouldNotify(setting, sight)),
	);
	const away = [false, true, true, true];
	assert.deepEqual(told, [[false, false, false, false], away, [true, true, true, true], away]);
});

test("a sound is for whoever has asked for it and is in another window", () => {
	const told = [true, false, undefined, "always"].map((setting) =>
		[true, false].map((isFocused) => shouldChime(setting, isFocused)),
	);
	assert.deepEqual(told, [
		[false, true],
		[false, false],
		[false, false],
		[false, false],
	]);
});
