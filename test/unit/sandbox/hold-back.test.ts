import assert from "node:assert/strict";
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { test } from "node:test";
import { holdBack } from "../../../agent-host/sandbox/linux/hold-back.ts";

test("a command that is released before its sandbox was checked does not begin", (context) => {
	const status = openSync(devNull, "r");
	context.after(() => closeSync(status));
	let began = false;
	const { release } = holdBack([], status, () => {
		began = true;
	});
	release();
	assert.equal(began, false);
});
