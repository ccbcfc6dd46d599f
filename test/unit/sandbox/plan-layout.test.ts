import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { Policy } from "../../../agent-host/permissions/policy/policy.ts";
import {
	accessTo,
	enforcedAccess,
	grantedAt,
	guardedRoots,
	isInside,
	mayWrite,
} from "../../../agent-host/permissions/reach/reach.ts";
import type { PolicyEntry } from "../../../agent-host/protocol/settings/policy-settings.ts";
import {
	createPlanner,
	type DiskFacts,
	fixedPlaces,
	MAX_MOUNTS,
	type PathKind,
	planLayout,
} from "../../../agent-host/sandbox/layout/plan-layout.ts";
import { planPrivate } from "../../../agent-host/sandbox/layout/private-folders.ts";
import { commandBwrapOptions } from "../../../agent-host/sandbox/linux/bwrap-options.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { decompile } from "../../support/decompile.ts";

const NOTHING: DiskFacts = { kinds: new Map(), links: new Map(), present: [], matches: [] };

/** A disk on which these folders exist, with all above them, and nothing else. */
function aDisk(folders: readonly string[], others: Readonly<Record<string, PathKind>> = {}): DiskFacts {
	const kinds = new Map<string, PathKind>([["/", "folder"]]);
	for (const path of folders) for (let at = path; at !== "/"; at = dirname(at)) kinds.set(at, "folder");
	return { ...NOTHING, kinds: new Map([...kinds, ...Object.entries(others)]) };
}

function optionsOf(policy: Policy, facts: DiskFacts): readonly string[] {
	const planned = planLayout(policy, facts);
	assert.ok(planned.ok, planned.ok ? "" : planned.reason);
	return commandBwrapOptions({
		layout: planned.layout,
		level: policy.mode === "full" ? "full" : "contained",
		network: "private",
		cwd: "/",
		environment: {},
		maskFile: "/run/closed",
		temporary: planPrivate(planned.layout, "/own/thread"),
	});
}

test("a command has no capability or terminal, its own network, processes and environment, and a read-only /proc", () => {
	const policy = aPolicy({ permissions: { mode: "readOnly" }, places: { home: "/none", own: [] } });
	const options = optionsOf({ ...policy, secrets: [] }, aDisk(["/repo"]));
	assert.deepEqual(options, [
		...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--remount-ro", "/proc"],
		...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net"],
		...["--die-with-parent", "--new-session", "--cap-drop", "ALL", "--chdir", "/", "--clearenv"],
	]);
});

const PLACES = [
	"/",
	"/usr",
	"/repo",
	"/repo/a",
	"/repo/a/b",
	"/repo/a/b/c",
	"/repo/.git",
	"/repo/.git/hooks",
	"/x",
	"/x/y",
];
const anEntry = fc.record({
	path: fc.constantFrom(...PLACES),
	access: fc.constantFrom("none" as const, "read" as const, "write" as const),
});
const PROTECT = { names: [".git", ".vscode", ".npmrc"], paths: [], free: [] };
const BELOW = ["", "/n", "/.git", "/.git/config", "/.vscode/tasks.json", "/.npmrc"];
const ASKED = PLACES.flatMap((place) => BELOW.map((part) => `${place === "/" ? "" : place}${part}` || "/"));

const namedPlaces = (policy: Policy): readonly string[] =>
	guardedRoots(policy).flatMap((root) => policy.protect.names.map((name) => join(root, name)));

test("the sandbox's options, read back, grant at every path what the resolver says (I-01, I-10)", () => {
	fc.assert(
		fc.property(
			fc.array(anEntry, { minLength: 1, maxLength: 8 }),
			fc.subarray(["/x", "/repo/a/b", "/home/me/.ssh"]),
			(entries, secrets) => {
				const policy: Policy = { ...aPolicy(), filesystem: entries, secrets, protect: PROTECT };
				// Every place exists, so that what the policy says is all there is to say.
				const present = namedPlaces(policy);
				const disk = { ...aDisk([...fixedPlaces(policy), ...present]), present };
				const granted = decompile(optionsOf(policy, disk));
				for (const path of ASKED) assert.equal(grantedAt(granted, path), enforcedAccess(policy, path), path);
			},
		),
		{ numRuns: 500 },
	);
});

test("only what the policy allows is writable, or a missing path that is set aside when it appears (I-10)", () => {
	const someFolders = fc.subarray([...PLACES, "/repo/a/.git", "/repo/.vscode"]);
	let planable = 0;
	fc.assert(
		fc.property(fc.array(anEntry, { minLength: 1, maxLength: 8 }), someFolders, (entries, folders) => {
			const policy: Policy = { ...aPolicy(), filesystem: entries, protect: PROTECT };
			const disk = { ...aDisk(folders), present: namedPlaces(policy).filter((path) => folders.includes(path)) };
			const planned = planLayout(policy, disk);
			if (!planned.ok) return;
			planable += 1;
			const closed = entries.filter(({ access }) => access === "none").map(({ path }) => path);
			const missing = [...planned.layout.awaited, ...namedPlaces(policy), ...closed].filter(
				(path) => !disk.kinds.has(path),
			);
			const granted = decompile(optionsOf(policy, disk));
			for (const path of ASKED) {
				if (grantedAt(granted, path) === "write" && !missing.some((place) => isInside(path, place)))
					assert.ok(mayWrite(policy, path), path);
				// What does not exist holds nothing to read.
				if (grantedAt(granted, path) !== "none" && disk.kinds.has(path))
					assert.notEqual(accessTo(policy, path), "none", path);
			}
		}),
		{ numRuns: 500 },
	);
	assert.ok(planable > 250, `${planable} of 500 policies can be held by mounts`);
});

test("write, none, write: the closed folder lets its open child through and lists nothing", () => {
	const filesystem: readonly PolicyEntry[] = [
		{ path: "/", access: "read" },
		{ path: "/repo", access: "write" },
		{ path: "/repo/a", access: "none" },
		{ path: "/repo/a/b/c", access: "write" },
	];
	const policy: Policy = {
		...aPolicy(),
		filesystem,
		secrets: [],
		protect: { names: [], paths: [], free: [] },
	};
	const options = optionsOf(policy, aDisk(["/repo/a/b/c"])).join(" ");
	assert.match(
		options,
		/--bind \/repo \/repo --perms 0111 --tmpfs \/repo\/a --perms 0111 --dir \/repo\/a\/b --bind \/repo\/a\/b\/c \/repo\/a\/b\/c --remount-ro \/repo\/a /,
	);
});

test("every folder above a carve-out is pinned before the writable folder is mounted over it", () => {
	const filesystem: readonly PolicyEntry[] = [
		{ path: "/", access: "read" },
		{ path: "/repo", access: "write" },
		{ path: "/repo/d/e/x", access: "read" },
	];
	const policy: Policy = {
		...aPolicy(),
		filesystem,
		secrets: [],
		protect: { names: [], paths: [], free: [] },
	};
	const options = optionsOf(policy, aDisk(["/repo/d/e/x"])).join(" ");
	const order = [
		"--ro-bind / /",
		"--ro-bind /repo/d /repo/d",
		"--ro-bind /repo/d/e /repo/d/e",
		"--bind /repo /repo",
		"--ro-bind /repo/d/e/x",
	];
	const places = order.map((part) => options.indexOf(part));
	assert.deepEqual(
		places,
		[...places].sort((a, b) => a - b),
	);
	assert.ok(!places.includes(-1));
});

test("only a missing name that editors hide gets a placeholder; other missing names that could be made are watched for", () => {
	const policy: Policy = {
		...aPolicy(),
		filesystem: [
			{ path: "/", access: "read" },
			{ path: "/repo", access: "write" },
			{ path: "/repo/closed", access: "none" },
			{ path: "/repo/new/kept", access: "read" },
			{ path: "/elsewhere/closed", access: "none" },
		],
		secrets: [],
		protect: { names: [".git", ".vscode", "*.code-workspace"], paths: [], free: [] },
	};
	const planned = planLayout(policy, aDisk(["/repo"], { "/repo/.vscode": "sealed" }));
	assert.ok(planned.ok);
	assert.deepEqual(planned.layout.placeholders, ["/repo/.git"]);
	assert.deepEqual(planned.layout.awaited, ["/repo/new/kept"]);
});

test("a carve-out behind a link in a writable folder is refused, and so is a .git that is a link", () => {
	const entries: readonly PolicyEntry[] = [
		{ path: "/", access: "read" },
		{ path: "/repo", access: "write" },
		{ path: "/repo/l/x", access: "none" },
	];
	const policy: Policy = { ...aPolicy(), filesystem: entries, secrets: [] };
	assert.equal(planLayout(policy, aDisk(["/repo"], { "/repo/l": "link" })).ok, false);
	const git = { ...policy, filesystem: entries.slice(0, 2) };
	assert.equal(planLayout(git, aDisk(["/repo"], { "/repo/.git": "link" })).ok, false);
	assert.equal(planLayout(git, aDisk(["/repo"])).ok, true);
});

test("a closed path below a link of the system is not missing: its real path is closed", () => {
	const closed = ["/bin/tool", "/usr/bin/tool", "/usr/bin/none"].map((path) => ({ path, access: "none" as const }));
	const policy = aPolicy({ permissions: { mode: "readOnly", filesystem: closed } });
	const planned = planLayout(policy, aDisk(["/usr/bin"], { "/bin": "link", "/usr/bin/tool": "file" }));
	assert.ok(planned.ok);
	assert.deepEqual(
		planned.layout.absent.filter((path) => path.includes("bin")),
		["/usr/bin/none"],
	);
});

test("another protected name that is a link does not stop commands; it is watched", () => {
	const planned = planLayout(aPolicy(), {
		...aDisk(["/repo"], { "/repo/.claude": "link" }),
		present: ["/repo/.claude"],
	});
	assert.deepEqual(planned.ok && planned.layout.watched, ["/repo/.claude"]);
});

test("more mounts than a start can afford are refused, and their number is named", () => {
	const many = Array.from({ length: MAX_MOUNTS + 1 }, (_, index) => `/repo/f${index}`);
	const policy: Policy = {
		...aPolicy(),
		filesystem: [...aPolicy().filesystem, ...many.map((path) => ({ path, access: "none" as const }))],
	};
	const planned = planLayout(policy, aDisk(["/repo", ...many]));
	assert.equal(planned.ok, false);
	assert.match(planned.ok ? "" : planned.reason, /101|10\d/);
});

test("in full mode everything is writable but secrets, and no protected name is mounted on", () => {
	const policy = aPolicy({ permissions: { mode: "full" } });
	const granted = decompile(optionsOf(policy, aDisk(["/repo/.git", "/home/me/.ssh"])));
	assert.deepEqual(granted, [
		{ path: "/", access: "write" },
		// The way to the secret is pinned under this one.
		{ path: "/home", access: "write" },
		{ path: "/home/me/.ssh", access: "none" },
	]);
});

test("an option that the sandbox does not use is rejected when options are read back", () => {
	assert.throws(() => decompile(["--share-net"]), /--share-net/);
});

test("a planner that remembers its last plan never gives an old one", () => {
	const plan = createPlanner();
	const policies = [aPolicy(), aPolicy({ permissions: { denyRead: ["/repo/closed"] } })];
	const disks = [aDisk(["/repo"]), aDisk(["/repo/.git"]), aDisk(["/repo"], { "/repo/.git": "file" })];
	const pick = fc.record({ policy: fc.constantFrom(...policies), disk: fc.constantFrom(...disks) });
	fc.assert(
		fc.property(fc.array(pick, { maxLength: 8 }), (asked) => {
			for (const { policy, disk } of asked) assert.deepEqual(plan(policy, disk), planLayout(policy, disk));
		}),
	);
});
