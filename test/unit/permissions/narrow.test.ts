import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Policy } from "../../../agent-host/permissions/policy/policy.ts";
import { findProblem } from "../../../agent-host/permissions/policy/sandbox-problem.ts";
import { isWithin } from "../../../agent-host/permissions/reach/is-within.ts";
import { enforcedAccess } from "../../../agent-host/permissions/reach/reach.ts";
import { narrowPolicy } from "../../../agent-host/permissions/resolve/narrow-policy.ts";
import { turnPolicy } from "../../../agent-host/permissions/resolve/turn-policy.ts";
import { ApprovalPolicy, PermissionMode } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { mergeSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { PLACES } from "../../support/a-policy.ts";

const RIGHTS = { none: 0, read: 1, write: 2 };
const PROBED = [
	...[
		"/",
		"/repo",
		"/repo/a",
		"/repo/a/b",
		"/repo/a/b/c",
		"/repo/x.env",
		"/repo/.git/config",
		"/repo/.vscode/tasks.json",
	],
	...["/opt", "/opt/x", "/home/me/.ssh/id", "/home/me/x", "/home/me/bin/y"],
];
const entry = fc.record({
	path: fc.constantFrom("/repo/a", "/repo/a/b", "/opt", "/repo", "/repo/.git", "/repo/.vscode", "/home/me"),
	access: fc.constantFrom("none", "read", "write"),
});
const RULES = [
	{ prefix: ["npm", "test"] },
	{ prefix: ["rm"], decision: "deny" },
	{ prefix: ["make"], folder: "/repo" },
] as const;
const SERVER_TOOLS = [{ server: "s", tool: "t", definition: "d" }];
const closed = { places: ["/home/me"], except: ["/home/me/bin"] };

const policies: fc.Arbitrary<Policy> = fc
	.record({
		mode: fc.constantFrom(...PermissionMode.options),
		network: fc.constantFrom("off", "on", "allowList"),
		allowedDomains: fc.subarray(["a.example", "b.example", "!c.example"]),
		filesystem: fc.array(entry, { maxLength: 3 }),
		denyRead: fc.subarray(["**/*.env", "/repo/a"]),
		writableRoots: fc.subarray(["/opt"]),
		rules: fc.subarray([...RULES]),
		serverTools: fc.subarray(SERVER_TOOLS),
	})
	.chain((permissions) =>
		fc
			.record({
				approval: fc.constantFrom(...ApprovalPolicy.options),
				collaboration: fc.constantFrom("default", "plan"),
				trusted: fc.boolean(),
				sandbox: fc.constantFrom("bubblewrap", "none"),
				closed: fc.constantFrom(PLACES.closed, closed),
			})
			.map(({ approval, collaboration, trusted, sandbox, closed }) =>
				turnPolicy(
					mergeSettings({ permissions, approval, modes: { collaboration } } as never),
					{ ...PLACES, trusted, closed },
					undefined,
					sandbox === "none" ? { kind: "none", problem: findProblem("bwrap-missing") } : { kind: "bubblewrap" },
				),
			),
	);

test("a policy narrowed to another allows nothing that either of them forbids", () => {
	fc.assert(
		fc.property(policies, policies, (own, limit) => {
			const narrow = narrowPolicy(own, limit);
			for (const outer of [own, limit]) assertNoWider(narrow, outer);
			const sandboxGone = own.noSandbox !== undefined && limit.noSandbox === undefined;
			if (sandboxGone) assert.equal(narrow.commands, false);
			else assert.ok(isWithin(narrow, limit), "within the limit");
		}),
		{ numRuns: process.env.VITRINE_FULL === "1" ? 10_000 : 250 },
	);
});

test("narrowing a policy to itself does not change it", () => {
	fc.assert(fc.property(policies, (policy) => assert.deepEqual(narrowPolicy(policy, structuredClone(policy)), policy)));
});

function assertNoWider(narrow: Policy, outer: Policy): void {
	for (const place of PROBED)
		assert.ok(RIGHTS[enforcedAccess(narrow, place)] <= RIGHTS[enforcedAccess(outer, place)], place);
	assert.ok(outer.commands || !narrow.commands);
	assert.ok(narrow.folders.every((folder) => outer.folders.includes(folder)));
	const allows = ({ rules }: Policy) => rules.filter(({ decision }) => decision !== "deny");
	const denies = ({ rules }: Policy) => rules.filter(({ decision }) => decision === "deny");
	assertIncludes(allows(outer), allows(narrow));
	assertIncludes(denies(narrow), denies(outer));
	assertIncludes(outer.serverTools ?? [], narrow.serverTools ?? []);
	if (outer.plan !== undefined) assert.ok(narrow.plan !== undefined || !narrow.commands);
}

function assertIncludes(all: readonly unknown[], some: readonly unknown[]): void {
	const known = new Set(all.map((one) => JSON.stringify(one)));
	for (const one of some) assert.ok(known.has(JSON.stringify(one)), JSON.stringify(one));
}
