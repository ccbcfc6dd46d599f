import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy, type Policy } from "../../../agent-host/permissions/policy/policy.ts";
import type { CommandEnd, StartOptions } from "../../../agent-host/sandbox/backend.ts";
import { createSeatbelt } from "../../../agent-host/sandbox/macos/backend.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { inFairTime } from "../../support/fair-time.ts";

const place = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-backend-")));
after(() => rmSync(place, { recursive: true, force: true }));
const workspace = join(place, "workspace");
mkdirSync(workspace);

/** A program in the place of sandbox-exec, which exists on macOS only. */
function aStandIn(name: string, script: string): string {
	const file = join(place, name);
	writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return file;
}

const SKIP_OPTIONS = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';
/** Passes the trial and contains nothing: what is shown with it is the way to the command and back. */
const passing = aStandIn(
	"passing",
	`case "$2" in *etc/hosts*) echo "cat: Operation not permitted" >&2; exit 1;; esac\n${SKIP_OPTIONS}`,
);
const policy: Policy = {
	...aPolicy(),
	filesystem: [
		{ path: "/", access: "read" },
		{ path: workspace, access: "write" },
	],
	folders: [workspace],
	secrets: [],
};

async function run(
	sandboxExec: string,
	script: string,
	change: Partial<StartOptions> & { readonly policy?: Policy; readonly digest?: string } = {},
): Promise<CommandEnd> {
	const given = change.policy ?? policy;
	const started = await createSeatbelt({ home: join(place, "home") }, sandboxExec).start(
		{
			argv: ["/bin/sh", "-c", script],
			cwd: workspace,
			policy: given,
			digest: change.digest ?? digestPolicy(given),
			environment: { PATH: process.env.PATH, VITRINE_SECRET: "no", LANG: "C" },
		},
		{ limits: { outputBytes: 10_000, timeoutMs: 10_000 }, streams: "kept", input: "closed", ...change },
	);
	return started.state === "refused" ? started : started.ended;
}

test("a command starts in its folder with a few names of the environment, and its output and status come back", async () => {
	const ended = await run(passing, 'echo "$(pwd) $LANG $VITRINE_SECRET."; echo wrong >&2; cat; exit 7');
	assert.equal(ended.state, "ended", JSON.stringify(ended));
	if (ended.state !== "ended") return;
	assert.deepEqual([ended.exitCode, ended.output.text.split("\n").sort()], [7, ["", `${workspace} C .`, "wrong"]]);
});

test("a command that ends by a signal or over its time is told as that", async () => {
	const limits = { outputBytes: 10_000, timeoutMs: 300 };
	const [killed, late] = await Promise.all([run(passing, "kill -TERM $$"), run(passing, "sleep 60", { limits })]);
	assert.equal(killed.state === "ended" && killed.signal, "SIGTERM");
	assert.equal(late.state === "stopped" && late.by, "time");
});

test("bash reads none of the user's files even if its input is open, and what it leaves in its group ends with it", async () => {
	writeFileSync(join(workspace, ".bashrc"), "echo read-bashrc\n");
	const script = "exec /bin/bash -c 'sleep 1000 > /dev/null 2>&1 & echo $!'";
	const given: Policy = { ...policy, environment: { ...policy.environment, set: { HOME: workspace } } };
	const ended = await run(passing, script, { input: "open", policy: given });
	assert.ok(ended.state === "ended", JSON.stringify(ended));
	const pid = Number(ended.output.text);
	assert.ok(pid > 1, ended.output.text);
	await inFairTime(
		() => !existsSync(`/proc/${pid}`) || / [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8")),
		2_000,
		() => "What the command left behind still runs.",
	);
});

test("a protected name that appears all the same is set aside and reported", async () => {
	const ended = await run(passing, "mkdir .GIT");
	assert.match(String(ended.state === "ended" && ended.notes), /\.GIT is protected/);
	assert.ok(!existsSync(join(workspace, ".GIT")));
});

test("no sandbox, no command: a missing, failing or lying sandbox-exec is found out (S-34)", async () => {
	const helpers = {
		missing: join(place, "nowhere"),
		failing: aStandIn("failing", "exit 1"),
		lying: aStandIn("lying", SKIP_OPTIONS),
	};
	const problems: string[] = [];
	for (const [name, helper] of Object.entries(helpers)) {
		const probed = await createSeatbelt({ home: join(place, "home") }, helper).probe();
		if (!probed.ok) problems.push(probed.problem.code);
		const ended = await run(helper, "touch ran");
		assert.equal(ended.state === "refused" && ended.code, "sandbox-unavailable", name);
	}
	assert.deepEqual(problems, ["seatbelt-missing", "seatbelt-broken", "seatbelt-broken"]);
	assert.ok(!existsSync(join(workspace, "ran")));
});

test("a changed policy and one that cannot be enforced start nothing", async () => {
	const listed: Policy = { ...policy, network: { kind: "allow", hosts: ["example.org"] } };
	const ends = [
		await run(passing, "touch ran", { digest: "other" }),
		await run(passing, "touch ran", { policy: listed }),
	];
	assert.deepEqual(
		ends.map((ended) => ended.state === "refused" && ended.code),
		["policy-changed", "policy-unenforceable"],
	);
	assert.ok(!existsSync(join(workspace, "ran")));
});
