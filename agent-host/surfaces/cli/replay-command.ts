import { resolve } from "node:path";
import { HostError } from "../../protocol/errors.ts";
import { replayThread } from "../../session/thread/replay-thread.ts";
import { REAL_DISK } from "../../store/home/disk.ts";
import { defaultHome, openHome } from "../../store/home/home.ts";
import { lockThread } from "../../store/home/lock.ts";
import { makeVisible } from "../visible.ts";
import { checkHome, refuseMissingHome } from "./check-home.ts";
import type { CommandIo } from "./cli-command.ts";
import { readArguments, readThreadId } from "./read-arguments.ts";

const SAME = 0;
const DIFFERENT = 1;
const MISUSED = 2;

/** Rebuilds every request of a thread from its records, and reports whether each is the one that was sent. */
export async function replayCommand(args: readonly string[], io: CommandIo): Promise<number> {
	const options = await readOptions(args, io.cwd);
	if (typeof options === "string") {
		io.stderr.write(`${makeVisible(options)}\n`);
		return MISUSED;
	}
	try {
		const home = await openHome(REAL_DISK, lockThread, options.home ?? defaultHome());
		await checkHome(home);
		const { same, unreadable, difference } = await replayThread(home, options.threadId);
		if (unreadable > 0) io.stderr.write(`${unreadable} unreadable records were skipped.\n`);
		if (difference === undefined) {
			io.stdout.write(`${same} requests, ${same} identical.\n`);
			return unreadable === 0 ? SAME : DIFFERENT;
		}
		io.stderr.write(
			`Request ${difference.request} (turn ${difference.turnId}) differs in: ${difference.parts.join(", ")}. The ${same} before it are identical.\n`,
		);
	} catch (error) {
		if (!(error instanceof HostError)) throw error;
		io.stderr.write(`${error.message}\n`);
	}
	return DIFFERENT;
}

async function readOptions(args: readonly string[], cwd: string) {
	const options = { home: { type: "string" } } as const;
	const parsed = readArguments("replay", args, { options, allowPositionals: true });
	if (typeof parsed === "string") return parsed;
	const named = readThreadId("replay", parsed.positionals);
	if (typeof named === "string") return named;
	const home = parsed.values.home === undefined ? undefined : resolve(cwd, parsed.values.home);
	return (await refuseMissingHome(home)) ?? { ...named, home };
}
