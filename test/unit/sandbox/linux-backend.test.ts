import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Policy } from "../../../agent-host/permissions/policy/policy.ts";
import { enforcedAccess, NOTHING_CLOSED } from "../../../agent-host/permissions/reach/reach.ts";
import { compilePolicy } from "../../../agent-host/permissions/resolve/compile-policy-file.ts";
import { fromLegacy } from "../../../agent-host/permissions/resolve/legacy-policy.ts";
import { LegacyPolicy, PolicyFile } from "../../../agent-host/protocol/settings/policy-file.ts";
import { chooseLinuxBackend, type LinuxFacts } from "../../../agent-host/sandbox/linux/choose-backend.ts";

const PLACES = {
	cwd: "/repo",
	tmpdir: "/scratch",
	home: "/home/me",
	own: [],
	closed: NOTHING_CLOSED,
	timeoutMs: 1_000,
};
const WANTED: LinuxFacts = { landlock: "wanted", helper: "/usr/bin/landlock-helper", places: PLACES };
const legacy = (mode: unknown): Policy => compilePolicy(fromLegacy(LegacyPolicy.parse(mode), PLACES), PLACES);
const split = (file: unknown): Policy => compilePolicy(PolicyFile.parse(file), PLACES);
const backendOf = (policy: Policy, facts: Partial<LinuxFacts> = {}) =>
	chooseLinuxBackend(policy, { ...WANTED, ...facts }).backend;

const entries = (...lines: readonly (readonly [string, string])[]) => lines.map(([path, access]) => ({ path, access }));

const TABLE: readonly (readonly [string, Policy, "bubblewrap" | "landlock"])[] = [
	["read-only", legacy({ sandbox_mode: "read-only" }), "landlock"],
	["read-only, online", legacy({ sandbox_mode: "read-only", network_access: true }), "landlock"],
	["workspace-write", legacy({ sandbox_mode: "workspace-write" }), "landlock"],
	["workspace-write with more roots", legacy({ sandbox_mode: "workspace-write", writable_roots: ["/x"] }), "landlock"],
	["workspace-write without /tmp", legacy({ sandbox_mode: "workspace-write", exclude_slash_tmp: true }), "landlock"],
	[
		"the same as entries, in another order",
		split({ filesystem: entries([":tmp", "write"], [":workspace", "write"], [":root", "read"]) }),
		"landlock",
	],
	["danger-full-access", legacy({ sandbox_mode: "danger-full-access" }), "bubblewrap"],
	["external-sandbox", legacy({ sandbox_mode: "external-sandbox" }), "bubblewrap"],
	[
		"a read-only carve-out",
		split({ filesystem: entries(["/", "read"], ["/repo", "write"], ["/repo/a", "read"]) }),
		"bubblewrap",
	],
	[
		"a denied carve-out",
		split({ filesystem: entries(["/", "read"], ["/repo", "write"], ["/repo/a", "none"]) }),
		"bubblewrap",
	],
	[
		"write, none, write",
		split({ filesystem: entries(["/", "read"], ["/repo", "write"], ["/repo/a", "none"], ["/repo/a/b", "write"]) }),
		"bubblewrap",
	],
	[
		"a protected place opened in part",
		split({ filesystem: entries(["/", "read"], ["/repo", "write"], ["/repo/.git/hooks", "write"]) }),
		"bubblewrap",
	],
	["a denied glob", split({ filesystem: entries(["/", "read"], ["**/*.env", "none"]) }), "bubblewrap"],
	["narrowed reading", split({ filesystem: entries(["/usr", "read"], ["/repo", "write"]) }), "bubblewrap"],
	["writing elsewhere only", split({ filesystem: entries(["/", "read"], ["/x", "write"]) }), "bubblewrap"],
	["some hosts only", split({ filesystem: entries(["/", "read"]), network: { allow: ["example.org"] } }), "bubblewrap"],
	[
		"nothing protected",
		split({ filesystem: entries(["/", "read"], ["/repo", "write"]), protect: false }),
		"bubblewrap",
	],
	["nothing granted", split({}), "bubblewrap"],
];

for (const [shape, policy, expected] of TABLE) {
	test(`Landlock asked for and there, ${shape}: ${expected}`, () => {
		assert.equal(backendOf(policy), expected);
	});
}

test("nobody who did not ask for Landlock gets it, nor does anyone without its helper", () => {
	for (const [, policy] of TABLE) {
		assert.equal(backendOf(policy, { landlock: "off" }), "bubblewrap");
		assert.equal(backendOf(policy, { helper: undefined }), "bubblewrap");
	}
});

test("whatever Landlock is chosen for grants what the older mode grants, at every path", () => {
	const paths = ["/", "/repo", "/repo/a", "/repo/a/b", "/tmp", "/scratch", "/x"];
	const anEntry = fc.record({ path: fc.constantFrom(...paths), access: fc.constantFrom("none", "read", "write") });
	// The older modes' own entries, so that many of the policies are theirs, and sometimes one more.
	const usual = fc.subarray(entries(["/", "read"], ["/repo", "write"], ["/tmp", "write"], ["/scratch", "write"]));
	let chosen = 0;
	fc.assert(
		fc.property(usual, fc.array(anEntry, { maxLength: 2 }), (given, more) => {
			const policy = split({ filesystem: [...given, ...more] });
			const choice = chooseLinuxBackend(policy, WANTED);
			if (choice.backend !== "landlock") return;
			chosen += 1;
			const again = compilePolicy(fromLegacy(choice.mode, PLACES), PLACES);
			for (const path of paths) assert.equal(enforcedAccess(policy, path), enforcedAccess(again, path), path);
			assert.ok(policy.filesystem.every(({ access }) => access !== "none"));
		}),
		{ numRuns: 300 },
	);
	assert.ok(chosen > 10, `${chosen} policies went to Landlock`);
});
