import { closeSync, constants, existsSync, openSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { runProbe } from "../launch.ts";
import type { RunFolder } from "../run-folder.ts";

/**
 * Pipes for commands. Node's own "pipes" are sockets: scripts cannot open `/dev/stdout` then, and bash mistakes a
 * socket on its input for a remote login and reads start-up files.
 */
export interface Pipes {
	/** For output: the command writes, the host reads. Undefined if pipes cannot be created. */
	readonly forOutput: () => Promise<CommandPipe | undefined>;
	/** For input: the host writes, the command reads. */
	readonly forInput: () => Promise<CommandPipe | undefined>;
}

/** The command's end of a pipe and the host's. */
export interface CommandPipe {
	readonly theirs: number;
	readonly ours: Socket;
}

const BATCH = 64;
/** Below this number, more are created in advance. */
const LOW = 16;
const MAKE_MS = 5_000;

export function createPipes(folder: RunFolder, bwrap: string): Pipes {
	let names: string[] = [];
	let making: Promise<void> | undefined;
	let batches = 0;
	const refill = (): Promise<void> => {
		making ??= makeBatch(bwrap, folder.spare, `${process.pid}-${batches++}`).then((made) => {
			names = [...names, ...made];
			making = undefined;
		});
		return making;
	};
	const take = async (): Promise<string | undefined> => {
		if (names.length === 0) await refill();
		const name = names.shift();
		// Later: a process takes long to start, and a command is waiting.
		if (names.length < LOW) setImmediate(refill);
		return name;
	};
	return {
		forOutput: async () => {
			const name = await take();
			if (name === undefined) return undefined;
			// In this order neither open blocks, and only our own end is non-blocking.
			const ours = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
			const theirs = openSync(name, constants.O_WRONLY);
			unlinkSync(name);
			return { theirs, ours: new Socket({ fd: ours, readable: true, writable: false }) };
		},
		forInput: async () => {
			const name = await take();
			if (name === undefined) return undefined;
			const both = openSync(name, constants.O_RDWR);
			const theirs = openSync(name, constants.O_RDONLY);
			const ours = openSync(name, constants.O_WRONLY | constants.O_NONBLOCK);
			closeSync(both);
			unlinkSync(name);
			return { theirs, ours: new Socket({ fd: ours, readable: false, writable: true }) };
		},
	};
}

async function makeBatch(bwrap: string, folder: string, batch: string): Promise<readonly string[]> {
	const mkfifo = ["/usr/bin/mkfifo", "/bin/mkfifo"].find((path) => existsSync(path));
	if (mkfifo === undefined) return [];
	const names = Array.from({ length: BATCH }, (_, index) => join(folder, `.pipe-${batch}-${index}`));
	const contained = [
		"--ro-bind",
		"/",
		"/",
		"--bind",
		folder,
		folder,
		"--unshare-all",
		"--die-with-parent",
		"--cap-drop",
		"ALL",
	];
	const { exitCode } = await runProbe(bwrap, [...contained, "--", mkfifo, "-m", "600", ...names], MAKE_MS);
	return exitCode === 0 ? names : [];
}
