import assert from "node:assert/strict";
import { test } from "node:test";
import type { Policy } from "../../../agent-host/permissions/policy/policy.ts";
import type { FileAccess } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { planWindows, WINDOWS_READ_ROOTS, type WindowsPlan } from "../../../agent-host/sandbox/windows.ts";
import { aPolicy } from "../../support/a-policy.ts";

const MINIMAL = ["/bin", "/sbin", "/usr", "/etc", "/lib", "/lib64", "/nix/store", "/run/current-system/sw"];

function policyOf(entries: Readonly<Record<string, FileAccess>>, change: Partial<Policy> = {}): Policy {
	const filesystem = Object.entries(entries).map(([path, access]) => ({ path, access }));
	const protect = { names: [], paths: [], free: [] };
	return { ...aPolicy(), filesystem, folders: ["C:\\repo"], secrets: [], protect, ...change };
}

/** What the plan says, in one line. */
function lineOf(plan: WindowsPlan): string {
	if (plan.kind !== "contained") return plan.kind;
	const { read, write, readOnly } = plan;
	return `reads ${read === "everything" ? read : read.join(" ")}; writes ${write.join(" ")}; keeps ${readOnly.join(" ")}`;
}

const WORKSPACE = { "/": "read", "C:\\repo": "write", "C:\\Temp": "write" } as const;

/** Shape, policy, what the elevated helper does, what a restricted token does. */
const TABLE: readonly (readonly [string, Policy, string, string])[] = [
	[
		"legacy read-only",
		policyOf({ "/": "read" }),
		"reads everything; writes ; keeps ",
		"reads everything; writes ; keeps ",
	],
	[
		"legacy workspace-write",
		policyOf(WORKSPACE),
		"reads everything; writes C:\\repo C:\\Temp; keeps ",
		"reads everything; writes C:\\repo C:\\Temp; keeps ",
	],
	[
		"a read-only carve-out below a writable root",
		policyOf({ ...WORKSPACE, "C:\\repo\\docs": "read" }),
		"reads everything; writes C:\\repo C:\\Temp; keeps C:\\repo\\docs",
		"reads everything; writes C:\\repo C:\\Temp; keeps C:\\repo\\docs",
	],
	[
		"the same in another case",
		policyOf({ ...WORKSPACE, "c:\\REPO\\docs": "read" }),
		"reads everything; writes C:\\repo C:\\Temp; keeps c:\\REPO\\docs",
		"reads everything; writes C:\\repo C:\\Temp; keeps c:\\REPO\\docs",
	],
	[
		"protected names",
		policyOf(
			{ "/": "read", "C:\\repo": "write" },
			{ protect: { names: [".git", "*.code-workspace"], paths: ["D:\\git"], free: [] } },
		),
		"reads everything; writes C:\\repo; keeps D:\\git C:\\repo\\.git",
		"reads everything; writes C:\\repo; keeps D:\\git C:\\repo\\.git",
	],
	[
		"a protected name that is opened",
		policyOf(
			{ "/": "read", "C:\\repo": "write", "C:\\repo\\.git": "write" },
			{ protect: { names: [".git"], paths: [], free: ["C:\\repo\\.git"] } },
		),
		"reads everything; writes C:\\repo C:\\repo\\.git; keeps ",
		"reads everything; writes C:\\repo C:\\repo\\.git; keeps ",
	],
	[
		"exact readable roots",
		policyOf({ "C:\\repo": "read", "D:\\sdk": "read" }),
		"reads C:\\repo D:\\sdk; writes ; keeps ",
		"refused",
	],
	[
		"the minimal system and the workspace",
		policyOf({ ...Object.fromEntries(MINIMAL.map((path) => [path, "read" as const])), "C:\\repo": "write" }),
		`reads ${WINDOWS_READ_ROOTS.join(" ")}; writes C:\\repo; keeps `,
		"refused",
	],
	[
		"writable roots without the workspace",
		policyOf({ "/": "read", "D:\\out": "write" }),
		"reads everything; writes D:\\out; keeps ",
		"refused",
	],
	[
		"a drive and a folder on it",
		policyOf({ "D:\\": "read", "D:\\out\\": "write" }),
		"reads D:\\; writes D:\\out\\; keeps ",
		"refused",
	],
	["nothing granted", policyOf({}), "reads ; writes ; keeps ", "refused"],
	["a denied carve-out below what is readable", policyOf({ "/": "read", "C:\\keys": "none" }), "refused", "refused"],
	["a denied carve-out below a writable root", policyOf({ ...WORKSPACE, "C:\\repo\\a": "none" }), "refused", "refused"],
	["a denied carve-out of a drive", policyOf({ "C:\\": "read", "c:\\keys\\": "none" }), "refused", "refused"],
	["a denied glob", policyOf({ ...WORKSPACE, "**\\*.env": "none" }), "refused", "refused"],
	[
		"write, none, write",
		policyOf({ ...WORKSPACE, "C:\\repo\\a": "none", "C:\\repo\\a\\b": "write" }),
		"refused",
		"refused",
	],
	[
		"a writable child reopened below read-only",
		policyOf({ ...WORKSPACE, "C:\\repo\\a": "read", "C:\\repo\\a\\b": "write" }),
		"refused",
		"refused",
	],
	[
		"a writable child of a protected name",
		policyOf({ ...WORKSPACE, "C:\\repo\\.git\\hooks": "write" }, { protect: { names: [".git"], paths: [], free: [] } }),
		"refused",
		"refused",
	],
	["the whole disk writable", policyOf({ "/": "write" }), "refused", "refused"],
	[
		"some hosts only",
		policyOf(WORKSPACE, { network: { kind: "allow", hosts: ["example.org"] } }),
		"refused",
		"refused",
	],
];

for (const [shape, policy, elevated, token] of TABLE) {
	test(`Windows, ${shape}: elevated ${elevated.split(" ")[0]}, restricted token ${token.split(" ")[0]}`, () => {
		assert.deepEqual(
			[lineOf(planWindows(policy, "elevated")), lineOf(planWindows(policy, "restrictedToken"))],
			[elevated, token],
		);
	});
}

test("every refusal is one sentence", () => {
	const plans = TABLE.flatMap(([, policy]) => [
		planWindows(policy, "elevated"),
		planWindows(policy, "restrictedToken"),
	]);
	const reasons = plans.flatMap((plan) => (plan.kind === "refused" ? [plan.reason] : []));
	assert.deepEqual(
		reasons.filter((reason) => !/^\S[^\n]*[^.]\.$/.test(reason)),
		[],
	);
});

test("without a helper every command needs approval, and is refused if no one may be asked", () => {
	for (const [, policy] of TABLE) {
		assert.deepEqual(planWindows({ ...policy, approval: "onRequest" }, "none"), {
			kind: "ask",
			reason: "No sandbox is available on this machine, so every command needs approval.",
		});
		assert.equal(planWindows({ ...policy, approval: "never" }, "none").kind, "refused");
	}
});

test("the gaps of a restricted token are stated", () => {
	const plan = planWindows(policyOf(WORKSPACE, { secrets: ["C:\\Users\\me\\.ssh"] }), "restrictedToken");
	assert.deepEqual(plan.kind === "contained" && plan.notes, [
		"Stored keys stay readable.",
		"The network is off only for programs that respect the environment.",
	]);
});
