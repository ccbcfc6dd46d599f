import assert from "node:assert/strict";
import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import { afterEach, test } from "node:test";
import { ensureHome } from "../../../agent-host/surfaces/ensure-home.ts";

const before = process.env.HOME;
afterEach(() => {
	if (before === undefined) delete process.env.HOME;
	else process.env.HOME = before;
});

for (const home of ["", ".", "relative/home"]) {
	test(`HOME=${JSON.stringify(home)} is rejected: places such as ~/.ssh would be closed in the wrong folder`, () => {
		process.env.HOME = home;
		ensureHome();
		assert.ok(isAbsolute(homedir()));
		assert.equal(homedir(), userInfo().homedir);
	});
}

test("an absolute home folder is kept unchanged", () => {
	process.env.HOME = "/somewhere/else";
	ensureHome();
	assert.equal(homedir(), "/somewhere/else");
});
