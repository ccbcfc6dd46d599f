import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { digestPolicy } from "../../agent-host/permissions/policy/policy.ts";
import type { PermissionSettings } from "../../agent-host/protocol/settings/policy-settings.ts";
import type { Sandbox } from "../../agent-host/sandbox/backend.ts";
import { MAX_MOUNTS } from "../../agent-host/sandbox/layout/plan-layout.ts";
import { probePolicy } from "../../agent-host/sandbox/policy-probe/run-probe.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { makeFixture, policyFor } from "./probes/fixture.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-policy-probe-"));
const fixture = makeFixture(parent, process.getuid?.() ?? 0);
const sandbox = createSandbox({ home: fixture.own, path: process.env.PATH, folders: [fixture.workspace] });
const environment = { ...process.env, HIDDEN_FROM_COMMANDS: "1", TMPDIR: join(fixture.folder, "tmp") };

const FRESH = `.vitrine-probe-${process.pid}`;

// The user who runs the tests may have no home.
const { HOME: ownHome } = process.env;
before(() => {
	process.env.HOME = fixture.home;
});
after(() => {
	if (ownHome === undefined) delete process.env.HOME;
	else process.env.HOME = ownHome;
	rmSync(parent, { recursive: true, force: true });
});

function prove(where: Pick<Sandbox, "run">, permissions: Partial<PermissionSettings>) {
	const policy = policyFor(fixture, permissions);
	const request = { cwd: fixture.workspace, policy, digest: digestPolicy(policy), environment };
	return probePolicy(where, { request, scope: "all", fresh: FRESH });
}

/** All names of the user's below the fixture, and ours in the folders outside it. */
function everything(): readonly string[] {
	const below = readdirSync(parent, { recursive: true, encoding: "utf8" }).filter((path) => !path.includes("/own/"));
	const ours = ["/", "/var/tmp", homedir()].flatMap((folder) => readdirSync(folder)).filter((name) => name === FRESH);
	return [...below, ...ours];
}

const MINIMAL = [
	{ path: ":root", access: "none" },
	{ path: ":minimal", access: "read" },
] as const;

const POLICIES: readonly (readonly [string, Partial<PermissionSettings>])[] = [
	["the usual one", {}],
	["reading only", { mode: "readOnly" }],
	["full access", { mode: "full" }],
	["some hosts open", { network: "allowList", allowedDomains: ["a.example"] }],
	["nothing but the minimal system and the workspace", { filesystem: [...MINIMAL] }],
	["globs and closed folders", { denyRead: ["**/*.txt", join(fixture.workspace, "a")] }],
];

test("a command meets exactly what its policy says, and trying the policy leaves nothing behind", async () => {
	const before = everything();
	for (const [name, permissions] of POLICIES) {
		const proved = await prove(sandbox, permissions);
		const failed = proved.attempts.filter(({ ok }) => !ok);
		assert.deepEqual([name, proved.state, failed, proved.reason], [name, "held", [], undefined]);
		assert.ok(proved.attempts.length >= 8, `${name}: ${proved.attempts.length}`);
	}
	assert.deepEqual(everything(), before);
});

test("a policy is tried on what it allows and on what it refuses", async () => {
	const { attempts } = await prove(sandbox, { denyRead: [join(fixture.workspace, "a")] });
	const tried = new Map(attempts.map(({ what, expected }) => [what, expected]));
	const expected = {
		[`read ${fixture.workspace}`]: "allowed",
		[`read ${join(fixture.workspace, "a")}`]: "refused",
		[`create a file in ${fixture.workspace}`]: "allowed",
		[`create a file in ${fixture.folder}`]: "refused",
		[`create a file in ${join(fixture.workspace, ".git")}`]: "refused",
		"open a network connection": "refused",
		"see the agent host's process": "refused",
	};
	assert.deepEqual(Object.fromEntries(Object.keys(expected).map((what) => [what, tried.get(what)])), expected);
});

test("a place that a command can make but not keep is not tried, however little else is missing", async () => {
	const { names } = policyFor(fixture, {}).protect;
	const paths = names.filter((name) => !/[*]|yarnrc|pnpmfile/.test(name)).map((name) => join(fixture.workspace, name));
	// As many as mounts can hold beside those of the fixture.
	const made = paths.filter((path) => !existsSync(path)).slice(0, MAX_MOUNTS - 30);
	for (const path of made) mkdirSync(path);
	try {
		const before = everything();
		const { state, attempts } = await prove(sandbox, {});
		assert.deepEqual([state, attempts.filter(({ what }) => what.startsWith("make"))], ["held", []]);
		assert.deepEqual(everything(), before);
	} finally {
		for (const path of made) rmSync(path, { recursive: true });
	}
});

/** Runs what it is given as it is. */
const containsNothing: Pick<Sandbox, "run"> = {
	run: async ({ argv: [program = "", ...args], cwd, environment: env }) => {
		const { stdout, status } = spawnSync(program, args, { cwd, env: { ...env }, encoding: "utf8" });
		const output = { text: stdout, bytes: stdout.length, dropped: 0 };
		return { state: "ended", exitCode: status ?? 1, output, notes: [], refusedHosts: [], bound: "none" };
	},
};

test("a sandbox that contains nothing is detected, and even then nothing is left behind", async () => {
	const before = everything();
	const { state, attempts } = await prove(containsNothing, {});
	assert.equal(state, "broken");
	// An ordinary user has no privilege to begin with.
	const held = attempts.filter(({ what, expected, ok }) => expected === "refused" && ok && !what.includes("privilege"));
	assert.deepEqual(held, []);
	assert.deepEqual(everything(), before);
});

test("a probe command without output proves nothing", async () => {
	const silent: Pick<Sandbox, "run"> = {
		run: async (request, options, signal) =>
			sandbox.run({ ...request, argv: ["/bin/sh", "-c", "exit 0"] }, options, signal),
	};
	const { state, attempts } = await prove(silent, { mode: "readOnly" });
	assert.deepEqual([state, attempts.some(({ ok }) => ok)], ["broken", false]);
});
