// The first commands of real toolchains in the sandbox, beside the same outside it. It fills caches in the home folder of whoever
// runs it, so run it as an ordinary user whose home can be spared: node test/bench/toolchains.ts [part of a name …]
// A package is new only the first time. With TOOLCHAINS_LOG=FILE all that the commands say goes there.
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import { escalatePolicy } from "../../agent-host/permissions/reach/escalate.ts";
import { resolvePolicy } from "../../agent-host/permissions/resolve/resolve-policy.ts";
import { PermissionSettings } from "../../agent-host/protocol/settings/policy-settings.ts";
import { findClosedPlaces } from "../../agent-host/sandbox/reading/closed-places.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import type { FirstCommand } from "./first-commands/first-command.ts";
import { JAVASCRIPT_COMMANDS } from "./first-commands/javascript.ts";
import { JVM_COMMANDS } from "./first-commands/jvm.ts";
import { NATIVE_COMMANDS } from "./first-commands/native.ts";
import { OTHER_COMMANDS } from "./first-commands/others.ts";
import { PYTHON_COMMANDS } from "./first-commands/python.ts";

const FIRST_COMMANDS = [
	...JAVASCRIPT_COMMANDS,
	...PYTHON_COMMANDS,
	...NATIVE_COMMANDS,
	...JVM_COMMANDS,
	...OTHER_COMMANDS,
];
const MAX_MS = 300_000;
const home = homedir();
const folder = mkdtempSync(join(home, "vitrine-toolchains-"));
const own = join(folder, "own");
mkdirSync(own);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

interface Ended {
	readonly ok: boolean;
	readonly said: string;
}

/** As the agent's commands run with the default settings, or with those given. */
async function contained(script: string, workspace: string, change: (policy: Policy) => Policy): Promise<Ended> {
	const resolved = resolvePolicy(PermissionSettings.parse({}), "onRequest", {
		roots: [workspace],
		trusted: true,
		home,
		temp: [...new Set([tmpdir(), "/tmp"])],
		own: [own],
		closed: findClosedPlaces({ home, environment: process.env, written: [] }),
		versionControl: [join(workspace, ".git")],
	});
	const policy = change(resolved);
	const sandbox = createSandbox({ home: own, path: process.env.PATH, folders: [workspace] });
	const request = {
		argv: ["/bin/sh", "-c", script],
		cwd: workspace,
		policy,
		digest: digestPolicy(policy),
		environment: process.env,
	};
	const limits = { ...policy.limits, timeoutMs: MAX_MS };
	const run = { limits, streams: "kept", input: "closed" } as const;
	const ended = await sandbox.run(request, run, new AbortController().signal);
	if (ended.state === "refused") return { ok: false, said: ended.reason };
	return { ok: ended.state === "ended" && ended.exitCode === 0, said: ended.output.text };
}

function plain(script: string, cwd: string): Ended {
	const ended = spawnSync("/bin/sh", ["-c", script], { cwd, timeout: MAX_MS, encoding: "utf8" });
	return { ok: ended.status === 0, said: `${ended.stdout}${ended.stderr}` };
}

async function tryOut(first: FirstCommand, index: number): Promise<readonly [version: string, result: string]> {
	const version = plain(first.version, home);
	if (!version.ok) return ["–", "not installed, so not tried"];
	const words = stripVTControlCharacters(version.said).trim().split("\n").at(-1) ?? "";
	const project = join(folder, `project-${index}`);
	mkdirSync(project);
	const prepared = plain(`set -e\n${first.prepare ?? ""}`, project);
	if (!prepared.ok) return [words, `could not be prepared: ${lastLine(prepared.said)}`];
	// Always in the same place: some tools remember it.
	const kept = `${project}-kept`;
	cpSync(project, kept, { recursive: true, verbatimSymlinks: true });
	const again = () => {
		rmSync(project, { recursive: true, force: true });
		cpSync(kept, project, { recursive: true, verbatimSymlinks: true });
	};
	const began = performance.now();
	const inside = await contained(first.command, project, (policy) => policy);
	const took = performance.now() - began;
	again();
	const outside = plain(first.command, project);
	log(first, { inside: inside.said, outside: outside.said, took });
	if (!outside.ok) return [words, `fails outside the sandbox too: ${lastLine(outside.said)}`];
	if (inside.ok) return [words, "works"];
	again();
	const online = await contained(first.command, project, (policy) => ({ ...policy, network: { kind: "on" } }));
	again();
	const left = await contained(first.command, project, escalatePolicy);
	if (!online.ok) log(first, { online: online.said });
	const withNetwork = online.ok ? ", and without one when the network is on" : "";
	const reason = lastLine(inside.said);
	return [
		words,
		left.ok ? `works after one approval, to leave the sandbox${withNetwork}: ${reason}` : `refused: ${reason}`,
	];
}

function log({ toolchain, command }: FirstCommand, said: Readonly<Record<string, string | number>>): void {
	const file = process.env.TOOLCHAINS_LOG;
	if (file !== undefined)
		writeFileSync(file, `${JSON.stringify({ toolchain, command, ...said }, null, 1)}\n`, { flag: "a" });
}

function lastLine(text: string): string {
	const lines = text
		.trim()
		.split("\n")
		.filter((line) => /\w/.test(line));
	return (
		lines.findLast((line) => /error|denied|read-only|cannot|unable|not found|failed/i.test(line)) ??
		lines.at(-1) ??
		""
	)
		.trim()
		.slice(0, 160);
}

const wanted = process.argv.slice(2).map((word) => word.toLowerCase());
const chosen = FIRST_COMMANDS.filter(
	({ toolchain }) => wanted.length === 0 || wanted.some((word) => toolchain.toLowerCase().includes(word)),
);
console.log("| Toolchain | Version | First command | Result |\n| --- | --- | --- | --- |");
for (const [index, first] of chosen.entries()) {
	const [version, result] = await tryOut(first, index);
	console.log(
		`| ${[first.toolchain, version, `\`${first.command}\``, result].map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`,
	);
}
