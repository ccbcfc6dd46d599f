import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseApproval } from "../../../../../media/model/approval/choose-approval.ts";

test("the shown approval stays while it is pending, whatever comes or goes; then the next one takes its place", () => {
	assert.equal(chooseApproval([], undefined), undefined);
	assert.deepEqual(chooseApproval(["a", "b"], undefined), { key: "a", place: 0 });
	assert.deepEqual(chooseApproval(["b", "c", "d"], { key: "c", place: 2 }), { key: "c", place: 1 });
	assert.deepEqual(chooseApproval(["a", "c"], { key: "b", place: 1 }), { key: "c", place: 1 });
	assert.deepEqual(chooseApproval(["a", "b"], { key: "c", place: 2 }), { key: "b", place: 1 });
});
