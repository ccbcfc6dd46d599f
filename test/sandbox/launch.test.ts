import assert from "node:assert/strict";
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy } from "../../agent-host/permissions/policy/policy.ts";
import type { LaunchOutcome } from "../../agent-host/sandbox/launch.ts";
import { launchReadOnly } from "../../agent-host/sandbox/linux/launch-read-only.ts";
import { locateBwrap } from "../../agent-host/sandbox/linux/locate-bwrap.ts";
import { probeHelper } from "../../agent-host/sandbox/linux/try-bwrap.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { aPolicy } from "../support/a-policy.ts";

const LIMITS = { timeoutMs: 10_000, outputBytes: 100_000 };
const folder = mkdtempSync(join(tmpdir(), "vitrine-sandbox-"));
const inside = join(folder, "inside");
const outside = join(folder, "outside");
after(() => rmSync(folder, { recursive: true }));
writeFileSync(inside, "may be read\n");
writeFileSync(outside, "must stay unseen\n");
const handle = openSync(inside, "r");
after(() => closeSync(handle));

const bwrap = await locateBwrap(process.env.PATH, []);
const never = new AbortController().signal;

function shell(
	script: string,
	change: Partial<typeof LIMITS> = {},
	signal = never,
	stdin = "",
): Promise<LaunchOutcome> {
	const place = { path: inside, handle };
	const command = { program: "/bin/sh", args: ["-c", script], place };
	return launchReadOnly(bwrap, command, stdin, { ...LIMITS, ...change }, signal);
}

async function outputOf(script: string, stdin = ""): Promise<string> {
	const outcome = await shell(script, {}, never, stdin);
	assert.equal(outcome.state, "ended", JSON.stringify(outcome));
	return outcome.state === "ended" ? outcome.stdout : "";
}

test("bubblewrap is there: without it this machine cannot show what is claimed below", () => {
	assert.notEqual(bwrap, undefined, "install bubblewrap");
});

test("a contained program reads its given files and its input", async () => {
	assert.equal(await outputOf(`cat ${inside} -`, "from stdin\n"), "may be read\nfrom stdin\n");
});

test("files it was not given do not exist for it, nor do the system's accounts and homes", async () => {
	assert.equal(await outputOf(`ls ${outside} /etc/passwd /root /home /work 2>/dev/null; true`), "");
});

test("a contained program can write nowhere, not even to what it reads", async () => {
	const places = [inside, "/new", "/usr/new", "/proc/sys/kernel/hostname", "/dev/new", "/tmp/new", join(folder, "new")];
	assert.equal(
		await outputOf(`for p in ${places.join(" ")}; do (echo x > $p) 2>/dev/null && echo wrote $p; done; true`),
		"",
	);
});

test("a contained program reaches no server on this machine", async () => {
	const server = createServer((socket) => socket.end("hello"));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	const script = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
	const command = { program: "/bin/bash", args: ["-c", script], place: undefined };
	const outcome = await launchReadOnly(bwrap, command, "", LIMITS, never);
	server.close();
	assert.deepEqual(outcome.state === "ended" && [outcome.exitCode !== 0, outcome.stdout], [true, ""]);
});

test("a contained program inherits none of the host's environment and sees none of its processes", async () => {
	process.env.VITRINE_TEST_SECRET = "canary-in-the-environment";
	const seen = await outputOf("cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'");
	delete process.env.VITRINE_TEST_SECRET;
	assert.ok(!seen.includes("canary-in-the-environment"));
	assert.ok(!seen.includes("launch.test"));
});

test("a contained program has no capability, even when the host runs as root", async () => {
	assert.match(await outputOf("grep CapEff /proc/self/status"), /0000000000000000/);
});

test("a program over its time limit is killed with everything it started", async () => {
	const outcome = await shell("sleep 100 & sleep 100", { timeoutMs: 200 });
	assert.deepEqual(outcome, { state: "cut", by: "time", stdout: "" });
});

test("a program is killed even before its sandbox has asked the kernel to end with bubblewrap", {
	timeout: 60_000,
}, async () => {
	// Starts its program in a session of its own, and waits, as bubblewrap does.
	const early = join(folder, "early-bwrap");
	writeFileSync(early, "#!/bin/sh\nsetsid yes &\nwait\n", { mode: 0o755 });
	const command = { program: "/bin/sh", args: [], place: undefined };
	const outcome = await launchReadOnly(early, command, "", { ...LIMITS, outputBytes: 200_000 }, never);
	assert.equal(outcome.state === "cut" && outcome.by, "output");
});

test("a program over its output limit is killed, and the output before it is kept", async () => {
	const outcome = await shell("echo first; yes", { outputBytes: 200_000 });
	assert.equal(outcome.state === "cut" && outcome.by, "output");
	assert.ok(outcome.state === "cut" && outcome.stdout.startsWith("first\n"));
});

test("stopping a turn stops its program at once", async () => {
	const stop = new AbortController();
	const running = shell("echo up; sleep 100", {}, stop.signal);
	stop.abort(new Error("stopped by the user"));
	await assert.rejects(running, /stopped by the user/);
});

test("without a sandbox nothing runs", async () => {
	const command = { program: "/bin/true", args: [], place: undefined };
	const outcome = await launchReadOnly(undefined, command, "", LIMITS, never);
	assert.equal(outcome.state, "refused");
});

/** A folder with a program called bwrap. */
function aHelper(name: string, script: string): string {
	const place = join(folder, name);
	mkdirSync(place);
	writeFileSync(join(place, "bwrap"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return place;
}

test("the first bubblewrap on the PATH counts: a broken one is not skipped, and without any nothing runs", async () => {
	const broken = aHelper("broken", "exit 1");
	const paths = [`${broken}:${process.env.PATH}`, inside];
	const policy = aPolicy();
	const request = { argv: ["/bin/true"], cwd: "/usr", policy, digest: digestPolicy(policy), environment: {} };
	const options = { limits: policy.limits, streams: "kept", input: "closed" } as const;
	const ends = paths.map((path) => createSandbox({ home: folder, path, folders: [] }).run(request, options, never));
	const reasons = (await Promise.all(ends)).map((end) =>
		end.state === "refused" ? `${end.code}: ${end.reason}` : end,
	);
	assert.match(
		String(reasons[0]),
		/^sandbox-unavailable: The command did not run, because this policy needs a sandbox\. Bubblewrap does not isolate/,
	);
	assert.match(
		String(reasons[1]),
		/^sandbox-unavailable: The command did not run, because this policy needs a sandbox\. Bubblewrap \(bwrap\) was not found/,
	);
});

test("a bubblewrap that does not know --argv0 still works", async () => {
	const old = aHelper("old", `[ "$1" = --help ] && { ${bwrap} --help | grep -v argv0; exit 0; }\nexec ${bwrap} "$@"`);
	assert.equal((await probeHelper(join(old, "bwrap"), 5_000)).ok, true);
});
