import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { Policy } from "../../../agent-host/permissions/policy/policy.ts";
import { enforcedAccess } from "../../../agent-host/permissions/reach/reach.ts";
import type { PolicyEntry } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { planSeatbelt, seatbeltArgs, withAliases } from "../../../agent-host/sandbox/macos/profile.ts";
import type { Profile } from "../../../agent-host/sandbox/macos/seatbelt.ts";
import { aCase, expectedLines, policyOf } from "../../sandbox/probes/random-policy.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { readSeatbelt } from "../../support/seatbelt.ts";

const FIXTURES = join(import.meta.dirname, "..", "..", "fixtures", "seatbelt");
const RUNS = process.env.VITRINE_FULL === "1" ? 2_000 : 50;
const BARE: Partial<Policy> = { secrets: [], protect: { names: [], paths: [], free: [] } };

function profileOf(policy: Policy, proxyPort?: number): Profile {
	const planned = planSeatbelt(policy, { proxyPort, files: ["/repo/file"], temporary: "/own/tmp/thread" });
	assert.ok(planned.ok, planned.ok ? "" : planned.reason);
	return planned.profile;
}

function entries(...lines: readonly (readonly [string, PolicyEntry["access"]])[]): PolicyEntry[] {
	return lines.map(([path, access]) => ({ path, access }));
}

/** The shapes that the golden files show. */
const SHAPES: Readonly<Record<string, Policy>> = {
	"read-only": aPolicy({ permissions: { mode: "readOnly" } }),
	"workspace-write": aPolicy(),
	full: aPolicy({ permissions: { mode: "full" } }),
	split: {
		...aPolicy(),
		...BARE,
		filesystem: entries(
			["/", "read"],
			["/repo", "write"],
			["/repo/a", "none"],
			["/repo/a/b", "write"],
			["**/*.env", "none"],
		),
	},
	minimal: aPolicy({
		permissions: {
			mode: "readOnly",
			filesystem: entries([":root", "none"], [":minimal", "read"], [":workspace", "read"]),
		},
	}),
};

for (const [name, policy] of Object.entries(SHAPES)) {
	test(`the profile of ${name} is the one on file`, () => {
		const { text, parameters } = profileOf(policy);
		const page = `${text}\n${parameters.map(([key, value]) => `${key}=${value}\n`).join("")}`;
		const file = join(FIXTURES, `${name}.sb`);
		if (process.env.UPDATE === "1") writeFileSync(file, page);
		assert.equal(page, readFileSync(file, "utf8"));
	});
}

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
	"/tmp",
	"/private/tmp/t",
];
const BELOW = [
	"",
	"/n",
	"/.git",
	"/.GIT/config",
	"/.vscode",
	"/.vscode/tasks.json",
	"/x.code-workspace",
	"/k.pem",
	"/k.pem/m",
];
/** Every place in both spellings, and things below it. */
const ASKED = [...PLACES, "/private", "/private/tmp", "/tmp/t"].flatMap((place) =>
	BELOW.map((part) => `${place === "/" ? "" : place}${part}` || "/"),
);
const anAccess = fc.constantFrom("none" as const, "read" as const, "write" as const);
const anEntry = fc.record({ path: fc.constantFrom(...PLACES), access: anAccess });
const aRandomPolicy = fc
	.record({
		filesystem: fc.array(anEntry, { minLength: 1, maxLength: 8 }),
		secrets: fc.subarray(["/x", "/repo/a/b", "/home/me/.ssh"]),
		paths: fc.subarray(["/x/y", "/repo/a", "/repo/a/b"]),
		free: fc.subarray(["/tmp", "/x"]),
		mode: fc.constantFrom("workspaceWrite" as const, "full" as const),
	})
	.map(({ filesystem, secrets, paths, free, mode }): Policy => {
		const protect = { names: [".git", ".vscode", "*.code-workspace"], paths, free };
		return { ...aPolicy(), mode, filesystem, secrets, protect };
	});

test("the profile grants at every path what the resolver grants (I-01)", () => {
	fc.assert(
		fc.property(aRandomPolicy, fc.subarray(["*.pem", "/repo/a/*.pem", "/x/**/k.pem", "/tmp/**"]), (given, globs) => {
			const closed = globs.map((path) => ({ path, access: "none" as const }));
			const policy = withAliases({ ...given, filesystem: [...given.filesystem, ...closed] });
			const seatbelt = readSeatbelt(profileOf(policy));
			for (const path of ASKED) {
				const access = enforcedAccess(policy, path);
				assert.equal(seatbelt.allows("file-read-data", path), access !== "none", `read ${path}`);
				assert.equal(seatbelt.allows("process-exec", path), access !== "none", `run ${path}`);
				assert.equal(seatbelt.allows("file-write-data", path), access === "write", `write ${path}`);
			}
		}),
		{ numRuns: RUNS },
	);
});

test("creating, removing and moving follow the resolver: only in a folder whose whole content is writable", () => {
	fc.assert(
		fc.property(aRandomPolicy, (given) => {
			const policy = withAliases(given);
			const seatbelt = readSeatbelt(profileOf(policy));
			const isWritable = (path: string) => enforcedAccess(policy, path) === "write";
			const isFree = (path: string) =>
				isWritable(dirname(path)) &&
				ASKED.every((other) => (other !== path && !other.startsWith(`${path}/`)) || isWritable(other));
			for (const path of ASKED.filter((one) => one !== "/")) {
				for (const operation of ["file-write-unlink", "file-write-create"])
					assert.equal(seatbelt.allows(operation, path, "folder"), isFree(path), `${operation} ${path}`);
			}
		}),
		{ numRuns: RUNS },
	);
});

/** What each operation of the Linux probes asks of Seatbelt, and about which name. */
const NEEDS: Readonly<Record<string, readonly (readonly [operation: string, name: string])[]>> = {
	open: [["file-read-data", "f"]],
	list: [["file-read-data", ""]],
	write: [["file-write-data", "f"]],
	create: made("made"),
	mkdir: made("folder"),
	link: made("link"),
	rename: ["mover", "moved"].flatMap(made),
	unlink: [["file-write-unlink", "victim"]],
	replace: ["other", "f"].flatMap(made),
};

function made(name: string): readonly (readonly [string, string])[] {
	return ["file-write-create", "file-write-data", "file-write-unlink"].map((operation) => [operation, name]);
}

test("policies that real kernels are tested with have the same results under Seatbelt", () => {
	for (const one of fc.sample(aCase, { numRuns: RUNS, seed: 20_260 })) {
		const policy = policyOf(one, "/t");
		const files = one.entries.map(({ path }) => join("/t", path)).filter((path) => path.endsWith("/f"));
		const planned = planSeatbelt(policy, { proxyPort: undefined, files, temporary: "/own/tmp/thread" });
		assert.ok(planned.ok);
		const seatbelt = readSeatbelt(planned.profile);
		const expected = expectedLines(policy, "/t");
		const really = expected.map((line) => {
			const [name = "", folder = ""] = line.split(" ");
			const isDone = NEEDS[name]?.every(([operation, file]) => seatbelt.allows(operation, join("/t", folder, file)));
			return `${name} ${folder} ${isDone ? "yes" : "no"}`;
		});
		assert.deepEqual(really, expected, JSON.stringify(one));
	}
});

test("a closed folder on the way to an open one can be passed, and not listed", () => {
	const seatbelt = readSeatbelt(profileOf(SHAPES.split ?? aPolicy()));
	assert.equal(seatbelt.allows("file-read-metadata", "/repo/a"), true);
	assert.equal(seatbelt.allows("file-read-data", "/repo/a"), false);
	assert.equal(seatbelt.allows("file-read-metadata", "/repo/a/other"), false);
});

test("of nested protected paths the first decides whether a writable entry opens it", () => {
	const filesystem = entries(["/", "read"], ["/repo/a", "write"]);
	const pathsIn = (...paths: readonly string[]) => ({ names: [], paths, free: [] });
	const isWritable = (protect: Policy["protect"]) => {
		const policy = { ...aPolicy(), filesystem, protect };
		assert.equal(enforcedAccess(policy, "/repo/a/b/x") === "write", protect.paths[0] === "/repo/a");
		return readSeatbelt(profileOf(policy)).allows("file-write-data", "/repo/a/b/x");
	};
	assert.equal(isWritable(pathsIn("/repo/a", "/repo/a/b")), true);
	assert.equal(isWritable(pathsIn("/repo/a/b", "/repo/a")), false);
});

test("a file that is writable by name can be replaced in a writable folder, but a folder cannot", () => {
	const filesystem = entries(["/", "read"], ["/repo", "write"], ["/repo/file", "write"], ["/repo/folder", "write"]);
	const seatbelt = readSeatbelt(profileOf({ ...aPolicy(), filesystem }));
	assert.equal(seatbelt.allows("file-write-unlink", "/repo/file"), true);
	assert.equal(seatbelt.allows("file-write-unlink", "/repo/folder", "folder"), false);
});

test("a folder on the way to a glob's closed files cannot be moved away; files beside it can", () => {
	const policy = { ...aPolicy(), ...BARE, filesystem: entries(["/", "write"], ["/repo/keys/*/*.pem", "none"]) };
	const seatbelt = readSeatbelt(profileOf(policy));
	for (const folder of ["/repo", "/repo/keys", "/repo/keys/mine"])
		assert.equal(seatbelt.allows("file-write-unlink", folder, "folder"), false, folder);
	assert.equal(seatbelt.allows("file-write-unlink", "/repo/keys/list", "file"), true);
	assert.equal(seatbelt.allows("file-write-unlink", "/repo/other", "folder"), true);
});

test("both spellings of a path behind the system's own links are covered", () => {
	const policy = {
		...aPolicy(),
		...BARE,
		filesystem: entries(["/", "read"], ["/tmp/w", "write"], ["/private/etc/x", "none"]),
	};
	const seatbelt = readSeatbelt(profileOf(policy));
	for (const path of ["/tmp/w/f", "/private/tmp/w/f"])
		assert.equal(seatbelt.allows("file-write-data", path), true, path);
	for (const path of ["/etc/x", "/private/etc/x"]) assert.equal(seatbelt.allows("file-read-data", path), false, path);
});

test("preferences can be read where all files can, and nowhere else", () => {
	const reads = Object.entries(SHAPES).map(([name, policy]) => [
		name,
		profileOf(policy).text.includes("user-preference-read"),
	]);
	assert.deepEqual(reads, [
		["read-only", true],
		["workspace-write", true],
		// Everything that is not a file is allowed there.
		["full", false],
		["split", true],
		["minimal", false],
	]);
});

test("no network without a rule; an allow-list opens the proxy's port alone, and is refused without a proxy", () => {
	const withNetwork = (network: Policy["network"]): Policy => ({ ...aPolicy(), network });
	assert.doesNotMatch(profileOf(withNetwork({ kind: "off" })).text, /network|socket/);
	const listed = withNetwork({ kind: "allow", hosts: ["example.org"] });
	assert.equal(planSeatbelt(listed, { proxyPort: undefined, files: [], temporary: "/own/tmp/thread" }).ok, false);
	const lines = profileOf(listed, 3_128).text.split("\n");
	assert.deepEqual(
		lines.filter((line) => line.includes("network")),
		['(allow network-outbound (remote ip "localhost:3128"))'],
	);
	assert.throws(() => planSeatbelt(listed, { proxyPort: 70_000, files: [], temporary: "/own/tmp/thread" }), /70000/);
});

test("with the network on, addresses can be reached and served, and only the UNIX socket that resolves names", () => {
	const profile = profileOf({ ...aPolicy(), network: { kind: "on" } });
	assert.match(profile.text, /\(allow network-outbound\n {2}\(remote ip "\*:\*"\)/);
	assert.match(profile.text, /\(allow network-inbound network-bind\n {2}\(local ip "\*:\*"\)\)/);
	const { allows } = readSeatbelt(profile);
	const sockets = [
		"/private/var/run/mDNSResponder",
		"/private/var/run/docker.sock",
		"/Users/u/.docker/run/docker.sock",
		"/private/tmp/com.apple.launchd.x/Listeners",
		"/repo/a.sock",
	];
	assert.deepEqual(
		sockets.map((path) => ["network-outbound", "network-inbound", "network-bind"].map((act) => allows(act, path))),
		[[true, false, false], ...sockets.slice(1).map(() => [false, false, false])],
	);
});

test("no path, however it is spelled, changes the text of a profile", () => {
	const textFor = (root: string): string => profileOf(aPolicy({ places: { roots: [root] } })).text;
	fc.assert(
		fc.property(fc.stringMatching(/^[^/\0*?]+$/), (name) => {
			fc.pre(name !== "." && name !== "..");
			assert.equal(textFor(`/r/${name}`), textFor("/r/plain"));
		}),
		{ examples: [['x") (allow default) ("'], ["a\nb"], ["P0"], ["(param"]], numRuns: 20 },
	);
});

test("a path's own characters mean themselves in a pattern", () => {
	const seatbelt = readSeatbelt(profileOf(aPolicy({ places: { roots: ["/r/a+(b).c"] } })));
	assert.equal(seatbelt.allows("file-write-data", "/r/a+(b).c/f"), true);
	assert.equal(seatbelt.allows("file-write-data", "/r/a+(b).c/.git/config"), false);
});

test("values reach sandbox-exec as parameters, the command after a double dash", () => {
	const profile = { text: "(version 1)", parameters: [["P0", "/a=b"]] as const };
	assert.deepEqual(seatbeltArgs(profile, ["-p", "x"]), ["-p", "(version 1)", "-DP0=/a=b", "--", "-p", "x"]);
});
