import { applyEdits } from "../../patch/edit.ts";
import type { Change } from "../../patch/plan-patch.ts";
import { savedBytes } from "../../patch/text-file.ts";
import type { TurnId } from "../../protocol/ids.ts";
import { asMessage, type Said, say } from "../../protocol/say.ts";
import type { TouchedFile } from "../../protocol/thread/changes.ts";
import type { Snapshots } from "../../store/log/snapshots.ts";
import type { CommandPorts, CommandReport } from "../../tools/command-call.ts";
import { type Content, isSameContent } from "../../workspace/files/content.ts";
import type { ChangedContent, FileWatch } from "../../workspace/files/watch-files.ts";
import { filesChangedRecords } from "../thread/files-changed.ts";
import type { LiveThread } from "../thread/live-thread.ts";
import { keepContent } from "./kept-content.ts";
import { createLookQueue } from "./look-queue.ts";

/** Stores what files were before a turn changed them. */
export interface Snapshotter {
	/**
	 * Stores contents and their record before the first byte of a patch is written. Returns a rollback for when nothing
	 * was written after all.
	 */
	readonly beforePatch: (changes: readonly Change[]) => Promise<() => Promise<void>>;
	/** Checks once more what commands did, and reports all changes of the turn. */
	readonly finish: () => Promise<void>;
	/** The command tools, with a check of the files before and after each command. */
	readonly watching: (commands: CommandPorts) => CommandPorts;
}

/** So that the check of thousands of files begins when the command's result is on its way to the model. */
const LOOK_AFTER_MS = 20;

export function createSnapshotter(options: {
	readonly thread: LiveThread;
	readonly turnId: TurnId;
	readonly snapshots: Snapshots;
	readonly watch: FileWatch;
	readonly runsWithBuild: (path: string) => boolean;
	/** A later time at each call, for all threads of the host. */
	readonly nextTime: () => number;
}): Snapshotter {
	const { thread, turnId, snapshots, watch, runsWithBuild, nextTime } = options;
	let isWarned = false;
	/** When the files were last examined for commands; undefined before the first one. */
	let examined: number | undefined;
	/** File contents written by patches since the last check of commands: not changes of a command. */
	const patched = new Map<string, Content | undefined>();
	const warn = async (said: Said): Promise<void> => {
		if (isWarned) return;
		isWarned = true;
		await thread.commit(
			[{ kind: "event", event: { type: "warning", turnId, code: "snapshot", ...asMessage(said) } }],
			"unsynced",
		);
	};
	const storeSnapshots = async (
		contents: readonly ChangedContent[],
		since: number,
	): Promise<readonly TouchedFile[]> => {
		if (contents.length === 0) return [];
		const put = async (content: Content | undefined) => content && keepContent(snapshots, content);
		const files: TouchedFile[] = [];
		for (const { path, before, after, mode } of contents) {
			const [was, is] = await Promise.all([put(before), put(after)]);
			if (was?.state === "full" || is?.state === "full") {
				await warn(say("snapshots-full"));
			}
			const bits = mode === undefined ? {} : { mode };
			files.push({ path, ...(was && { before: was.hash }), ...(is && { after: is.hash }), ...bits });
		}
		await thread.commit([{ kind: "touch", turnId, files, since }], "unsynced");
		return files;
	};
	const afterCommand = async (): Promise<void> => {
		if (examined === undefined) return;
		const since = examined;
		const { changed, unkept } = await watch.compare();
		examined = nextTime();
		const byCommand = changed.map((one) => (patched.has(one.path) ? { ...one, before: patched.get(one.path) } : one));
		patched.clear();
		await storeSnapshots(
			byCommand.filter(({ before, after }) => !isSameContent(before, after)),
			since,
		);
		if (unkept.length > 0) await warn(describeUnkept(unkept));
	};
	const remember = async (): Promise<void> => {
		patched.clear();
		await watch.remember();
		examined = nextTime();
	};
	/**
	 * A background command of this turn can change files at any time; until the turn's end, new changes are attributed to
	 * it.
	 */
	let hasLeftRunning = false;
	const looks = createLookQueue(LOOK_AFTER_MS);
	/** A command's result does not wait for the look after it, but the next file access does. */
	const lookSoon = (): void => {
		if (examined !== undefined) looks.soon(afterCommand);
	};
	/** Commands that run at the same time share the check before them. */
	let together: { running: number; looked?: Promise<void> } = { running: 0 };
	const watchInput = async (work: Promise<CommandReport>): Promise<CommandReport> => {
		try {
			const report = await work;
			hasLeftRunning ||= report.state === "running";
			return report;
		} finally {
			lookSoon();
		}
	};
	return {
		beforePatch: async (changes) => {
			await looks.settle();
			const contents = changes.flatMap(listContents);
			const files = await storeSnapshots(contents, nextTime());
			for (const { path, after } of contents) patched.set(path, after);
			return async () => {
				for (const { path } of contents) patched.delete(path);
				await thread.commit([{ kind: "touch", turnId, files: [...files], undone: true }], "unsynced");
			};
		},
		finish: async () => {
			await looks.now(afterCommand);
			await thread.commit(filesChangedRecords(thread.state().touches, turnId, runsWithBuild), "unsynced");
		},
		watching: (commands) => ({
			...commands,
			runCommand: async (call, show, signal) => {
				// A parallel command's changes must not be taken for the state before.
				if (together.running === 0) together = { running: 0 };
				const ours = together;
				const before = async (): Promise<void> => {
					// What the last command has done may still have to be found.
					ours.looked ??= looks.now(hasLeftRunning && examined !== undefined ? afterCommand : remember);
					await ours.looked;
					signal.throwIfAborted();
				};
				ours.running += 1;
				try {
					const report = await commands.runCommand(call, show, signal, before);
					hasLeftRunning ||= report.state === "running";
					if (report.state !== "refused" && ours.looked === undefined)
						throw new Error("A command ran before its files were examined.");
					return report;
				} finally {
					ours.running -= 1;
					// One that never began has changed nothing.
					if (ours.looked !== undefined) lookSoon();
				}
			},
			writeCommandInput: (...call) => watchInput(commands.writeCommandInput(...call)),
			stopCommand: (processId) => watchInput(commands.stopCommand(processId)),
		}),
	};
}

/** A move is two files: one removed, one added. */
function listContents(change: Change): readonly ChangedContent[] {
	const { operation, resolved, movedTo, before, after, overwritten, mode } = change;
	if (operation === "move" && movedTo !== undefined) {
		return [
			{ path: resolved, before, after: undefined, mode },
			{ path: movedTo.resolved, before: overwritten, after },
		];
	}
	const { text, edits, encoding, isOpen } = change;
	if (operation !== "update" || text === undefined || !isOpen) return [{ path: resolved, before, after, mode }];
	// Of an open document the text counts, saved or not.
	const [was, is] = [text.text, applyEdits(text.text, edits)];
	return [
		{
			path: resolved,
			before: savedBytes(was, before, encoding),
			after: savedBytes(is, before, encoding),
		},
	];
}

function describeUnkept(paths: readonly string[]): Said {
	const [path = "", ...others] = paths;
	return others.length === 0 ? say("file-not-kept", { path }) : say("files-not-kept", { path, more: others.length });
}
