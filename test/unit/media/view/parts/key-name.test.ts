import assert from "node:assert/strict";
import { test } from "node:test";
import { keyName } from "../../../../../media/view/parts/key-name.ts";

const NOTHING_HELD = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

test("a key has the same name on every keyboard, whether with Ctrl or Cmd", () => {
	const names = [
		{ key: "F", ctrlKey: true },
		{ key: "f", metaKey: true },
		{ key: "ArrowUp", metaKey: true, altKey: true },
		{ key: "F3", shiftKey: true },
	].map((event) => keyName({ ...NOTHING_HELD, ...event }));
	assert.deepEqual(names, ["Mod+f", "Mod+f", "Mod+Alt+ArrowUp", "Shift+F3"]);
});
