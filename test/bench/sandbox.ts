// What a contained command costs, beside a plain spawn and beside bubblewrap alone with the same mounts, interleaved.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import { resolvePolicy } from "../../agent-host/permissions/resolve/resolve-policy.ts";
import { PermissionSettings } from "../../agent-host/protocol/settings/policy-settings.ts";
import { gatherDiskFacts } from "../../agent-host/sandbox/layout/disk-facts.ts";
import { planLayout } from "../../agent-host/sandbox/layout/plan-layout.ts";
import { commandBwrapOptions } from "../../agent-host/sandbox/linux/bwrap-options.ts";
import { findClosedPlaces } from "../../agent-host/sandbox/reading/closed-places.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { type CommandParts, openCommandParts } from "./command-parts.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 200);
const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
const [workspace, home, temp] = ["ws", "home", "tmp"].map((name) => join(folder, name)) as [string, string, string];
for (const path of [join(workspace, ".git"), join(workspace, ".vscode"), home, temp])
	mkdirSync(path, { recursive: true });

function policyFor(folders: { readonly workspace: string; readonly temp: string }) {
	return resolvePolicy(PermissionSettings.parse({}), "never", {
		roots: [folders.workspace],
		trusted: true,
		home: join(folder, "nobody"),
		temp: [folders.temp],
		own: [home],
		closed: findClosedPlaces({ home: homedir(), environment: process.env, written: [] }),
		versionControl: [],
	});
}

const policy = policyFor({ workspace, temp });
const sandbox = createSandbox({ home, path: undefined, folders: [] });
const options = { limits: policy.limits, streams: "kept", input: "closed" } as const;
const never = new AbortController().signal;

async function contained(argv: readonly string[], under = policy): Promise<void> {
	const request = { argv, cwd: workspace, policy: under, digest: digestPolicy(under), environment: process.env };
	const ended = await sandbox.run(request, options, never);
	if (ended.state !== "ended" || ended.exitCode !== 0) throw new Error(JSON.stringify(ended).slice(0, 500));
}

function plain(argv: readonly string[]): Promise<void> {
	const [program = "", ...args] = argv;
	return new Promise((resolve, reject) => {
		const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] });
		child.stdout.resume();
		child.stderr.resume();
		child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`${program} ended with ${code}`))));
	});
}

/** Bubblewrap with the mounts a command gets here; the placeholders are made once, beforehand. */
async function bareOptions(): Promise<readonly string[]> {
	// In folders of its own, where the placeholders stay.
	const twin = { workspace: join(folder, "bare-ws"), temp: join(folder, "bare-tmp") };
	for (const path of [join(twin.workspace, ".git"), join(twin.workspace, ".vscode"), twin.temp])
		mkdirSync(path, { recursive: true });
	const same = policyFor(twin);
	const gathered = await gatherDiskFacts(same, () => new Set());
	const planned = gathered.ok ? planLayout(same, gathered.facts) : gathered;
	if (!planned.ok) throw new Error(planned.reason);
	for (const path of planned.layout.placeholders) mkdirSync(path, { recursive: true });
	const { layout } = planned;
	return commandBwrapOptions({
		layout,
		level: "contained",
		network: "private",
		cwd: workspace,
		environment: {},
		maskFile: "/dev/null",
		temporary: [],
	});
}

async function timed(work: () => Promise<unknown>): Promise<number> {
	const began = performance.now();
	await work();
	return performance.now() - began;
}

function median(values: readonly number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** A server on the host's loopback that sends as many bytes as it is asked for, and a policy that opens it. */
const server = createServer((asked, answer) => answer.end(Buffer.alloc(Number(asked.url?.slice(1)))));
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const port = (server.address() as AddressInfo).port;
const listed: Policy = { ...policy, network: { kind: "allow", hosts: [`127.0.0.1:${port}`] } };

await contained(["/bin/true"]);
for (let round = 0; round < 2; round += 1) await contained(["/bin/true"], listed);
const bare = await bareOptions();
/** Before each: a host is ready for its next command a moment after the last one, as before a model's next call. */
const REST_MS = 100;
const subjects = {
	"plain spawn": () => plain(["/bin/true"]),
	"bubblewrap, only / read-only": () => plain(["/usr/bin/bwrap", "--ro-bind", "/", "/", "/bin/true"]),
	"bubblewrap, same mounts": () => plain(["/usr/bin/bwrap", ...bare, "/bin/true"]),
	"contained command": () => contained(["/bin/true"]),
	"contained command, right after another": () => contained(["/bin/true"]),
	"contained command, some hosts open": () => contained(["/bin/true"], listed),
	"ten at a time, for each": async () => Promise.all(Array.from({ length: 10 }, () => contained(["/bin/true"]))),
};
const parts = await openCommandParts(policy, workspace, folder);
const shares = new Map<keyof CommandParts, number[]>(
	(["prepare", "writeDown", "watch", "settle", "record"] as const).map((name) => [name, []]),
);
const times = new Map<string, number[]>(Object.keys(subjects).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round += 1) {
	for (const [name, run] of Object.entries(subjects)) {
		if (name.startsWith("ten") && round % 10 !== 0) continue;
		await setTimeout(REST_MS);
		if (name.endsWith("another")) await contained(["/bin/true"]);
		times.get(name)?.push((await timed(run)) / (name.startsWith("ten") ? 10 : 1));
	}
	for (const [name, values] of shares) values.push(await timed(parts[name]));
}
const floor = median(times.get("plain spawn") ?? []);
const beside = median(times.get("bubblewrap, same mounts") ?? []);
console.log(
	`| ${ROUNDS} rounds of /bin/true | median ms | × plain spawn | × bubblewrap, same mounts |\n| --- | --- | --- | --- |`,
);
for (const [name, values] of times) {
	const ms = median(values);
	console.log(`| ${name} | ${ms.toFixed(2)} | ${(ms / floor).toFixed(2)} | ${(ms / beside).toFixed(2)} |`);
}
const share = (name: keyof CommandParts): number => median(shares.get(name) ?? []);
const whole = median(times.get("contained command") ?? []);
const SPLIT: readonly (readonly [what: string, ms: number])[] = [
	["prepare: the policy as the disk is, its layout, bubblewrap's options", share("prepare")],
	["write down what stands there, place empty folders", share("writeDown")],
	["spawn: a plain program", floor],
	["mounts and namespaces: bubblewrap with the same mounts, less a plain spawn", beside - floor],
	["watch: begin and end", share("watch")],
	["settle: look for what it made", share("settle")],
	[
		"the rest: pipes, status, limits, waiting for the end, less what was started in advance",
		whole - beside - share("prepare") - share("writeDown") - share("watch") - share("settle"),
	],
	["record: its result is on the disk (not part of the above)", share("record")],
];
console.log(`\n| Where the time of a contained command goes | median ms | share |\n| --- | --- | --- |`);
for (const [what, ms] of SPLIT) console.log(`| ${what} | ${ms.toFixed(2)} | ${Math.round((100 * ms) / whole)} % |`);
console.log("");
for (const megabytes of [1, 10]) {
	const argv = ["head", "-c", String(megabytes * 1_000_000), "/dev/zero"];
	const ours: number[] = [];
	const theirs: number[] = [];
	for (let round = 0; round < 10; round += 1) {
		theirs.push(await timed(() => plain(argv)));
		ours.push(await timed(() => contained(argv)));
	}
	console.log(
		`${megabytes} MB of output: contained ${median(ours).toFixed(1)} ms, plain ${median(theirs).toFixed(1)} ms`,
	);
}
const BYTES = 100_000_000;
const fetch = ["curl", "-sf", "--noproxy", "", "-o", "/dev/null", `http://127.0.0.1:${port}/${BYTES}`];
const byProxy = await timed(() => contained(fetch, listed));
const direct = await timed(() => plain(fetch));
const rate = (ms: number): string => `${Math.round(BYTES / 1_000 / ms)} MB/s`;
console.log(`100 MB by the proxy ${rate(byProxy)}, without a sandbox ${rate(direct)}`);
server.close();
rmSync(folder, { recursive: true, force: true });
