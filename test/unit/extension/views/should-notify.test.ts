import assert from "node:assert/strict";
import { test } from "node:test";
import { shouldChime, shouldNotify } from "../../../../extension/views/activity/should-notify.ts";

test("by default a notification is shown only if the chat is out of sight; “always” and “off” override that", () => {
	const sights = [true, false].flatMap((isInView) => [true, false].map((isFocused) => ({ isInView, isFocused })));
	const told = ["off", "unfocused", "always", undefined].map((setting) =>
		sights.map((sight) => shouldNotify(setting, sight)),
	);
	const away = [false, true, true, true];
	assert.deepEqual(told, [[false, false, false, false], away, [true, true, true, true], away]);
});

test("a sound is played only if it is switched on and the user is in another window", () => {
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
