import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decide } from "../../../../agent-host/permissions/decide/decide.ts";
import type { Access, Verdict } from "../../../../agent-host/permissions/policy/policy.ts";
import { accessTo } from "../../../../agent-host/permissions/reach/reach.ts";
import {
	ApprovalPolicy,
	NetworkMode,
	PermissionMode,
} from "../../../../agent-host/protocol/settings/policy-settings.ts";
import { PartialSettings } from "../../../../agent-host/protocol/settings/settings.ts";
import {
	PERMISSION_KEYS,
	type PermissionKey,
	type ResolvedPermissions,
	resolvePermissions,
	type ScopedPermissions,
} from "../../../../extension/facts/permissions.ts";
import { aPolicy } from "../../../support/a-policy.ts";

type Values = Partial<Readonly<Record<PermissionKey, unknown>>>;

function scoped(user: Values, ...workspaces: readonly Values[]): ScopedPermissions {
	return Object.fromEntries(
		PERMISSION_KEYS.map((key) => [key, { user: user[key], workspace: workspaces.map((values) => values[key]) }]),
	) as unknown as ScopedPermissions;
}

function resolve(user: Values, ...workspaces: readonly Values[]): ResolvedPermissions {
	return resolvePermissions(scoped(user, ...workspaces), "trusted");
}

test("with nothing set, the defaults of the protocol hold", () => {
	assert.deepEqual(resolve({}, {}), {
		permissions: {
			mode: "workspaceWrite",
			network: "off",
			allowedDomains: [],
			writableRoots: [],
			denyRead: [],
			filesystem: [],
			rules: [],
			serverTools: [],
			limits: { memory: null, fileSize: 4_096, diskGrowth: 10_240 },
		},
		approval: "onRequest",
		problems: [],
	});
});

test("a workspace may make mode, network and approval stricter", () => {
	const { permissions, approval } = resolve(
		{ mode: "workspaceWrite", network: "on", approval: "onRequest" },
		{ mode: "readOnly", network: "off", approval: "untrusted" },
	);
	assert.deepEqual([permissions.mode, permissions.network, approval], ["readOnly", "off", "untrusted"]);
});

test("where the user is asked before every command, that stays so if a workspace is read-only", () => {
	for (const approval of ["onRequest", "never", "untrusted"]) {
		const { permissions, approval: found } = resolve({ mode: "ask", approval }, { mode: "readOnly" });
		const policy = aPolicy({ permissions, approval: found });
		const ls: Access = { kind: "command", command: ["ls"], cwd: "/repo", escalated: false };
		assert.equal(decide(ls, policy).kind, approval === "never" ? "deny" : "ask", approval);
	}
});

test("a workspace can grant nothing, and what it closes is added", () => {
	const grants = {
		mode: "full",
		network: "on",
		approval: "never",
		allowedDomains: ["evil.example"],
		writableRoots: ["/etc"],
		rules: [{ prefix: ["rm"] }, { prefix: ["git", "push"], decision: "deny" }],
		limits: { memory: 0, fileSize: 0, diskGrowth: 0 },
	};
	const own = { mode: "readOnly", approval: "untrusted", denyRead: ["**/.env"] };
	const entries = [
		{ path: "/etc", access: "write" },
		{ path: "/repo/keys", access: "none" },
	];
	const { permissions, approval } = resolve(own, { ...grants, denyRead: ["**/*.pem"], filesystem: entries });
	assert.deepEqual(
		{ ...permissions, approval },
		{
			mode: "readOnly",
			network: "off",
			allowedDomains: [],
			writableRoots: [],
			denyRead: ["**/.env", "**/*.pem"],
			filesystem: [{ path: "/repo/keys", access: "none" }],
			rules: [{ prefix: ["git", "push"], decision: "deny" }],
			serverTools: [],
			limits: { memory: null, fileSize: 4_096, diskGrowth: 10_240 },
			approval: "untrusted",
		},
	);
});

test("a workspace's settings are ignored until it is trusted", () => {
	const values = scoped({ denyRead: ["**/.env"] }, { mode: "readOnly", denyRead: ["**/*"], approval: "never" });
	const { permissions, approval } = resolvePermissions(values, "restricted");
	assert.deepEqual([permissions.mode, permissions.denyRead, approval], ["workspaceWrite", ["**/.env"], "onRequest"]);
});

test("full access cannot be set: it is chosen for a single thread", () => {
	const { permissions, problems } = resolve({ mode: "full" });
	assert.equal(permissions.mode, "workspaceWrite");
	assert.match(problems.join(), /a single thread/);
});

test("an unreadable value of the user's closes whatever it is about, and is reported", () => {
	const closed = resolve({
		mode: "everything",
		network: 1,
		approval: "always",
		denyRead: ["relative/path"],
		rules: "rm",
	});
	assert.deepEqual(
		[closed.permissions.mode, closed.permissions.network, closed.approval, closed.permissions.rules],
		["readOnly", "off", "untrusted", []],
	);
	const policy = aPolicy({ permissions: closed.permissions });
	assert.deepEqual(
		["/repo/a", "/home/me/a", "/tmp/a", "/etc/hosts"].map((path) => accessTo(policy, path)),
		["none", "none", "none", "none"],
	);
	assert.deepEqual(closed.problems.map((problem) => /vitrine\.[\w.]+/.exec(problem)?.[0]).sort(), [
		"vitrine.approval",
		"vitrine.permissions.denyRead",
		"vitrine.permissions.mode",
		"vitrine.permissions.network",
		"vitrine.permissions.rules",
	]);
	assert.ok(
		closed.problems.some((problem) => problem.includes("vitrine.permissions.rules is not valid: must be a list.")),
	);
	assert.doesNotMatch(closed.problems.join(), /expected|received/);
});

test("rules that cannot be read make every command ask, because one of them may deny it", () => {
	for (const approval of ["onRequest", "never"]) {
		const { permissions, approval: found, problems } = resolve({ approval, rules: [{ prefix: "git push" }] });
		assert.deepEqual([permissions.rules, found, problems.length], [[], "untrusted", 1]);
	}
});

test("an unreadable value of the workspace's changes nothing", () => {
	const own = { mode: "ask", denyRead: ["**/.env"] };
	assert.deepEqual(resolve(own, { mode: "off", denyRead: [1], network: null, filesystem: "x" }), resolve(own));
});

test("a workspace that closes too much displaces nothing of the user's", () => {
	const many = (name: string, count: number) => Array.from({ length: count }, (_, n) => `**/${name}-${n}`);
	const { permissions } = resolve({ denyRead: many("mine", 150) }, { denyRead: many("theirs", 200) });
	assert.deepEqual(permissions.denyRead.slice(0, 150), many("mine", 150));
	assert.equal(PartialSettings.safeParse({ permissions }).success, true);
});

const WIDTH: Readonly<Record<Verdict["kind"], number>> = { deny: 0, ask: 1, allow: 2 };
const REACH = { none: 0, read: 1, write: 2 };

test("whatever a workspace says, nothing is allowed that the user's settings alone would not allow", () => {
	const values = fc.record(
		{
			mode: fc.constantFrom(...PermissionMode.options, "nonsense"),
			network: fc.constantFrom(...NetworkMode.options),
			approval: fc.constantFrom(...ApprovalPolicy.options, 7),
			allowedDomains: fc.constantFrom([], ["example.org"]),
			writableRoots: fc.subarray(["/etc", "/opt/x", "~/notes"]),
			denyRead: fc.subarray(["/repo/a", "**/*.key", "/etc"]),
			filesystem: fc.subarray([
				{ path: "/repo/a", access: "none" },
				{ path: "/repo/b", access: "read" },
				{ path: "/etc", access: "write" },
				{ path: "/repo/.git", access: "write" },
			]),
			rules: fc.subarray([{ prefix: ["make"] }, { prefix: ["git", "push"] }]),
		},
		{ requiredKeys: [] },
	);
	fc.assert(
		fc.property(values, values, values, (user, workspace, folder) => {
			const policies = [resolve(user), resolve(user, workspace, folder)].map(({ permissions, approval }) =>
				aPolicy({ permissions, approval }),
			);
			const [alone, together] = policies;
			if (alone === undefined || together === undefined) throw new Error("two were made");
			for (const path of PATHS) {
				assert.ok(REACH[accessTo(together, path)] <= REACH[accessTo(alone, path)], `reaches further: ${path}`);
			}
			for (const access of ACCESSES) {
				const widened: boolean = WIDTH[decide(access, together).kind] > WIDTH[decide(access, alone).kind];
				assert.equal(widened, false, JSON.stringify(access));
			}
		}),
	);
});

const PATHS = ["/repo/a", "/repo/b", "/repo/x.key", "/repo/.git/config", "/etc/hosts", "/opt/x/y", "/home/me/notes/z"];
const ACCESSES: readonly Access[] = [
	...PATHS.map((path): Access => ({ kind: "read", path, resolved: path, via: [] })),
	...PATHS.map((path): Access => ({ kind: "edit", targets: [{ path, resolved: path, overwrites: false }] })),
	...[["make"], ["git", "push"], ["ls"], "ls | sort"].map(
		(command): Access => ({ kind: "command", command, cwd: "/repo", escalated: false }),
	),
	{ kind: "command", command: ["make"], cwd: "/repo", escalated: true },
	{ kind: "network", host: "example.org", port: 443 },
];
