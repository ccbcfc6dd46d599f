import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { PLATFORM } from "../../platform/platform.ts";
import { listJournal, readJournal, removeJournal } from "../journal-files.ts";
import { endGroup } from "../launch.ts";
import { processStartTime } from "../process-start-time.ts";
import { makeFolder, runFolderOf } from "../run-folder.ts";

/**
 * The process groups of running commands, where no namespace ends them with the host: the next host ends what a killed
 * one left behind.
 */
export interface GroupJournal {
	/** Call with the first process of a group as soon as it runs. Returns what to call when the group is gone. */
	readonly note: (pid: number | undefined) => () => void;
}

const PREFIX = "group-";

const Entry = z.object({
	host: z.object({ pid: z.number(), began: z.string() }),
	leader: z.object({ pid: z.number(), began: z.string() }),
});
type Entry = z.infer<typeof Entry>;

export function createGroupJournal(home: string): GroupJournal {
	const folder = runFolderOf(home);
	return {
		note: (pid) => {
			const [host, leader] = [identify(process.pid), identify(pid)];
			if (!PLATFORM.hasGroups || host === undefined || leader === undefined) return () => undefined;
			const path = join(folder, `${PREFIX}${leader.pid}.json`);
			const entry: Entry = { host, leader };
			try {
				makeFolder(folder);
				writeFileSync(path, JSON.stringify(entry), { mode: 0o600 });
			} catch {
				// Then it ends with its command as ever, but not after a kill of the host.
			}
			return () => removeJournal(path);
		},
	};
}

/**
 * Ends the groups of dead hosts. Only a group whose first process is still the one that was started: its number could
 * be another's by now.
 */
export function endLeftGroups(home: string): void {
	const folder = runFolderOf(home);
	for (const name of listJournal(folder, PREFIX)) {
		const path = join(folder, name);
		const entry = readJournal(path, Entry);
		if (entry !== undefined && isSame(entry.host)) continue;
		if (entry !== undefined && isSame(entry.leader)) endGroup(entry.leader.pid);
		removeJournal(path);
	}
}

function identify(pid: number | undefined): Entry["host"] | undefined {
	const began = pid === undefined ? undefined : processStartTime(pid);
	return pid === undefined || began === undefined ? undefined : { pid, began };
}

function isSame({ pid, began }: Entry["host"]): boolean {
	return processStartTime(pid) === began;
}
