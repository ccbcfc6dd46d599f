// How long a command goes on after something that is kept from it was replaced from outside. Usage: node test/bench/protection.ts
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestPolicy } from "../../agent-host/permissions/policy/policy.ts";
import { NOTHING_CLOSED } from "../../agent-host/permissions/reach/reach.ts";
import { resolvePolicy } from "../../agent-host/permissions/resolve/resolve-policy.ts";
import { PermissionSettings } from "../../agent-host/protocol/settings/policy-settings.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";

const ROUNDS = Number(process.env.ROUNDS ?? 200);
const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
const [workspace, home] = [join(folder, "ws"), join(folder, "home")];
for (const path of [workspace, home]) mkdirSync(path);
const closed = join(workspace, "closed.txt");
writeFileSync(closed, "closed\n");
const policy = resolvePolicy(PermissionSettings.parse({ denyRead: [closed] }), "never", {
	roots: [workspace],
	trusted: true,
	home: join(folder, "nobody"),
	temp: [],
	own: [home],
	closed: NOTHING_CLOSED,
	versionControl: [],
});
const sandbox = createSandbox({ home, path: process.env.PATH, folders: [] });

/** Milliseconds from the moment a closed file is replaced, as editors save, to the end of a command that waits for it. */
async function measureOnce(round: number): Promise<number> {
	const ready = Promise.withResolvers<void>();
	const argv = ["/bin/sh", "-c", "echo ready; while ! cat closed.txt 2>/dev/null; do :; done; sleep 60"];
	const request = { argv, cwd: workspace, policy, digest: digestPolicy(policy), environment: process.env };
	const limits = { outputBytes: 1_000, timeoutMs: 60_000 };
	const options = { limits, streams: "kept", input: "closed", onOutput: () => ready.resolve() } as const;
	const started = await sandbox.start(request, options);
	if (started.state === "refused") throw new Error(started.reason);
	await ready.promise;
	writeFileSync(join(folder, "fresh"), `${round}\n`);
	const began = performance.now();
	renameSync(join(folder, "fresh"), closed);
	const ended = await started.ended;
	if (ended.state !== "stopped" || ended.by !== "protection") throw new Error(JSON.stringify(ended));
	return performance.now() - began;
}

const times: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) times.push(await measureOnce(round));
const sorted = times.toSorted((a, b) => a - b);
const at = (share: number) => (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);
console.log(
	`A command ends after what protects something has fallen off: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms (${ROUNDS} rounds).`,
);
rmSync(folder, { recursive: true, force: true });
