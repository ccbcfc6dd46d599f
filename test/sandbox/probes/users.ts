import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { CommandEnd } from "../../../agent-host/sandbox/backend.ts";
import type { Job } from "./worker.ts";

const ORDINARY = 1_000;

/** Somebody the sandbox is started by: root and an ordinary user where this machine can be both, else whoever runs the tests. */
export interface User {
	readonly name: string;
	readonly id: number;
	readonly run: (job: Job) => Promise<CommandEnd>;
	readonly close: () => void;
}

export function startUsers(): readonly User[] {
	const self = process.getuid?.() ?? 0;
	if (self !== 0) return [startUser("ordinary user", self, [process.execPath])];
	const become = ["setpriv", `--reuid=${ORDINARY}`, `--regid=${ORDINARY}`, "--clear-groups", "--"];
	return [
		startUser("root", 0, [process.execPath]),
		startUser("ordinary user", ORDINARY, [...become, process.execPath]),
	];
}

function startUser(name: string, id: number, command: readonly string[]): User {
	const [program = "", ...args] = command;
	const child = spawn(program, [...args, join(import.meta.dirname, "worker.ts")], {
		stdio: ["ignore", "inherit", "inherit", "ipc"],
		// What a sandboxed command must never see.
		env: { PATH: process.env.PATH, HOME: "/nonexistent", LANG: "C.UTF-8", PROBE_SECRET_TOKEN: "environment-canary" },
	});
	const waiting = new Map<number, (ended: CommandEnd) => void>();
	child.on("message", ({ id: job, ended }: { readonly id: number; readonly ended: CommandEnd }) => {
		waiting.get(job)?.(ended);
		waiting.delete(job);
	});
	child.setMaxListeners(0);
	let next = 0;
	return { name, id, run: (job) => ask(child, waiting, ++next, job), close: () => child.kill() };
}

function ask(
	child: ChildProcess,
	waiting: Map<number, (ended: CommandEnd) => void>,
	id: number,
	job: Job,
): Promise<CommandEnd> {
	return new Promise((resolve, reject) => {
		waiting.set(id, resolve);
		child.once("exit", () => reject(new Error("The worker ended.")));
		child.send({ id, job });
	});
}
