import { resolve } from "node:path";
import { refusedText } from "../../network/host-rules.ts";
import { digestPolicy } from "../../permissions/policy/policy.ts";
import type { CommandEnd } from "../../sandbox/backend.ts";
import { makeCaches, removeWhole } from "../../sandbox/command/temporary.ts";
import { createSandbox } from "../../sandbox/sandbox.ts";
import { defaultHome } from "../../store/home/home.ts";
import { makeVisible } from "../visible.ts";
import type { CommandIo } from "./cli-command.ts";
import { describeMisuse, readArguments } from "./read-arguments.ts";
import { readPolicy } from "./read-policy.ts";

/** Nothing ran: the sandbox could not be set up, or the policy cannot be read or enforced. */
const NOTHING_RAN = 125;
const NO_SUCH_PROGRAM = 127;
const TIMED_OUT = 124;
const STOPPED = 130;
/** A person is waiting at the command line and can stop it. */
const PATIENCE_MS = 86_400_000;

/** Runs one command under a policy, in the same way as the agent's; its exit status passes through. */
export async function sandboxCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const fail = (reason: string): number => {
		io.stderr.write(`${makeVisible(reason)}\n`);
		return NOTHING_RAN;
	};
	const options = readOptions(args);
	if (typeof options === "string") return fail(options);
	const cwd = resolve(io.cwd, options.cwd ?? ".");
	const home = defaultHome();
	const parsed = await readPolicy({ file: options.policy, from: io.cwd, cwd, home, timeoutMs: PATIENCE_MS });
	if (!parsed.ok) return fail(parsed.reason);
	const { policy } = parsed;
	const stop = new AbortController();
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());
	const sandbox = createSandbox({ home, path: process.env.PATH, folders: [cwd] });
	const caches = makeCaches(policy);
	const ended = await sandbox.run(
		{ argv: options.argv, cwd, policy, digest: digestPolicy(policy), environment: process.env, caches },
		{ limits: policy.limits, streams: "inherited", input: "closed" },
		stop.signal,
	);
	if (caches !== undefined) await removeWhole(caches);
	if (ended.state === "stopped" && ended.by === "time")
		io.stderr.write(`Stopped after ${policy.limits.timeoutMs / 1_000} s, the policy's time limit.\n`);
	return exitStatus(ended, fail, io);
}

function readOptions(args: readonly string[]) {
	const rest = args[0] === "linux" || args[0] === "landlock" ? args.slice(1) : args;
	const end = rest.indexOf("--");
	const options = { policy: { type: "string" }, cwd: { type: "string" } } as const;
	const parsed = readArguments("sandbox", end < 0 ? rest : rest.slice(0, end), { options });
	if (typeof parsed === "string") return parsed;
	const { policy, cwd } = parsed.values;
	if (policy === undefined) return describeMisuse("sandbox", "No policy file is named.");
	if (end < 0 || end === rest.length - 1) return describeMisuse("sandbox", "No command is named after --.");
	return { policy, cwd, argv: rest.slice(end + 1) };
}

function exitStatus(ended: CommandEnd, fail: (reason: string) => number, io: CommandIo): number {
	if (ended.state === "refused") {
		const status = fail(ended.reason);
		return ended.code === "no-such-program" ? NO_SUCH_PROGRAM : status;
	}
	for (const note of [...ended.notes, ...ended.refusedHosts.map(refusedText)]) io.stderr.write(`${note}\n`);
	if (ended.state === "ended") return ended.exitCode;
	return ended.by === "time" ? TIMED_OUT : STOPPED;
}
