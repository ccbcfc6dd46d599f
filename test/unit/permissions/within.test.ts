import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Policy } from "../../../agent-host/permissions/policy/policy.ts";
import { isWithin } from "../../../agent-host/permissions/reach/is-within.ts";
import { enforcedAccess } from "../../../agent-host/permissions/reach/reach.ts";
import { PermissionMode } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { aPolicy } from "../../support/a-policy.ts";

const RIGHTS = { none: 0, read: 1, write: 2 };
const places = [
	"/",
	"/repo",
	"/repo/a",
	"/repo/a/b",
	"/opt",
	"/tmp",
	"/home/me/.ssh",
	"/repo/.git/config",
	"/repo/x.env",
];
const entry = fc.record({
	path: fc.constantFrom("/repo/a", "/repo/a/b", "/opt", "/repo"),
	access: fc.constantFrom("none", "read", "write"),
});
const policies: fc.Arbitrary<Policy> = fc
	.record({
		mode: fc.constantFrom(...PermissionMode.options),
		network: fc.constantFrom("off", "on", "allowList"),
		filesystem: fc.array(entry, { maxLength: 3 }),
		denyRead: fc.subarray(["**/*.env", "/repo/a"]),
		writableRoots: fc.subarray(["/opt"]),
	})
	.map((permissions) => aPolicy({ permissions: { ...permissions, allowedDomains: ["a.example"] } } as never));

test("a policy within another can touch nothing that the other one closes", () => {
	fc.assert(
		fc.property(policies, policies, (inner, outer) => {
			if (!isWithin(inner, outer)) return;
			for (const place of places)
				assert.ok(RIGHTS[enforcedAccess(inner, place)] <= RIGHTS[enforcedAccess(outer, place)], place);
			assert.ok(inner.network.kind === "off" || outer.network.kind !== "off");
		}),
		{ numRuns: 2_000 },
	);
});

test("every policy is within itself, and full access within nothing else", () => {
	fc.assert(
		fc.property(policies, (policy) => {
			assert.ok(isWithin(policy, structuredClone(policy)));
			if (policy.mode !== "full") assert.ok(!isWithin(aPolicy({ permissions: { mode: "full" } }), policy));
		}),
	);
});
