import { applyEdits } from "../../patch/edit.ts";
import type { Change } from "../../patch/plan-patch.ts";
import { savedBytes } from "../../patch/text-file.ts";
import type { TurnId } from "../../protocol/ids.ts";
import { asMessage, type Said, say } from "../../protocol/say.ts";
import type { TouchedFile } from "../../protocol/thread/changes.ts";
import type { DurableEvent } from "../../protocol/thread/events.ts";
import type { Snapshots } from "../../store/log/snapshots.ts";
import type { CommandPorts, CommandReport } from "../../tools/command-call.ts";
import type { ChangedContent, FileWatch } from "../../workspace/files/watch-files.ts";
import type { LiveThread } from "../thread/live-thread.ts";

/** Keeps what files were before a turn changed them. */
export interface Keeper {
	/** Contents and the record of them are there before the first byte of a patch is written. Gives what to do if none is. */
	readonly beforePatch: (changes: readonly Change[]) => Promise<() => Promise<void>>;
	/** Looks once more at what commands did, and says what the whole turn has changed. */
	readonly finish: () => Promise<void>;
	/** The command tools, with a look at the files before and after each. */
	readonly watching: (commands: CommandPorts) => CommandPorts;
}

type FilesChanged = Extract<DurableEvent, { readonly type: "filesChanged" }>;

/** Paths that are told of one turn. */
const MAX_NAMED = 100;

export function createKeeper(options: {
	readonly thread: LiveThread;
	readonly turnId: TurnId;
	readonly snapshots: Snapshots;
	readonly watch: FileWatch;
	readonly runsWithBuild: (path: string) => boolean;
}): Keeper {
	const { thread, turnId, snapshots, watch, runsWithBuild } = options;
	let isWarned = false;
	let isWatching = false;
	/** What patches made of files since commands were last looked at: not a command's doing. */
	const patched = new Map<string, Uint8Array | undefined>();
	const warn = async (said: Said): Promise<void> => {
		if (isWarned) return;
		isWarned = true;
		await thread.commit(
			[{ kind: "event", event: { type: "warning", turnId, code: "snapshot", ...asMessage(said) } }],
			"unsynced",
		);
	};
	const keep = async (contents: readonly ChangedContent[]): Promise<readonly TouchedFile[]> => {
		if (contents.length === 0) return [];
		const put = async (bytes: Uint8Array | undefined) => (bytes === undefined ? undefined : snapshots.put(bytes));
		const files: TouchedFile[] = [];
		for (const { path, before, after } of contents) {
			const [was, is] = [await put(before), await put(after)];
			if (was?.state === "full" || is?.state === "full") {
				await warn(say("snapshots-full"));
			}
			files.push({ path, ...(was && { before: was.sha256 }), ...(is && { after: is.sha256 }) });
		}
		await thread.commit([{ kind: "touch", turnId, files }], "unsynced");
		return files;
	};
	const afterCommand = async (): Promise<void> => {
		if (!isWatching) return;
		const { changed, unkept } = await watch.compare();
		const byCommand = changed.map((one) => (patched.has(one.path) ? { ...one, before: patched.get(one.path) } : one));
		patched.clear();
		await keep(byCommand.filter(({ before, after }) => !isSame(before, after)));
		if (unkept.length > 0) await warn(describeUnkept(unkept));
	};
	let running = 0;
	let remembered: Promise<void> = Promise.resolve();
	const remember = (): Promise<void> => {
		isWatching = true;
		patched.clear();
		return watch.remember();
	};
	/** What this turn left running changes files at any time; until the turn's end, what is new then is taken for its doing. */
	let hasLeftRunning = false;
	/** The look after a command. Its result does not wait for it; whatever touches files next does. */
	let looked: Promise<void> = Promise.resolve();
	const look = async (work: Promise<CommandReport>): Promise<CommandReport> => {
		try {
			const report = await work;
			hasLeftRunning ||= report.state === "running";
			return report;
		} finally {
			looked = looked.then(afterCommand);
			// Whoever waits for it hears of its failure; nobody may be waiting yet.
			looked.catch(() => undefined);
		}
	};
	return {
		beforePatch: async (changes) => {
			await looked;
			const contents = changes.flatMap(contentsOf);
			const files = await keep(contents);
			for (const { path, after } of contents) patched.set(path, after);
			return async () => {
				for (const { path } of contents) patched.delete(path);
				await thread.commit([{ kind: "touch", turnId, files: [...files], undone: true }], "unsynced");
			};
		},
		finish: async () => {
			await looked;
			await afterCommand();
			const touched = thread.state().touches.filter((touch) => touch.turnId === turnId);
			const paths = [...new Set(touched.filter(({ before, after }) => before !== after).map(({ path }) => path))];
			if (paths.length === 0) return;
			await thread.commit([{ kind: "event", event: nameFiles(turnId, paths, runsWithBuild) }], "unsynced");
		},
		watching: (commands) => ({
			...commands,
			runCommand: async (...call) => {
				await looked;
				// What a command beside it has changed by now must not be taken for what was there before.
				if (running === 0) remembered = hasLeftRunning ? afterCommand() : remember();
				running += 1;
				try {
					await remembered;
					return await look(commands.runCommand(...call));
				} finally {
					running -= 1;
				}
			},
			writeCommandInput: (...call) => look(commands.writeCommandInput(...call)),
			stopCommand: (processId) => look(commands.stopCommand(processId)),
		}),
	};
}

function nameFiles(turnId: TurnId, paths: readonly string[], runsWithBuild: (path: string) => boolean): FilesChanged {
	// Of all, so that none is lost among many others.
	const marked = paths.filter(runsWithBuild).slice(0, MAX_NAMED);
	const event = { type: "filesChanged", turnId, files: paths.length, paths: paths.slice(0, MAX_NAMED) } as const;
	return marked.length === 0 ? event : { ...event, runWithBuild: marked };
}

/** A move is two files: one that goes and one that comes. */
function contentsOf(change: Change): readonly ChangedContent[] {
	const { operation, resolved, movedTo, before, after, overwritten } = change;
	if (operation === "move" && movedTo !== undefined) {
		return [
			{ path: resolved, before, after: undefined },
			{ path: movedTo.resolved, before: overwritten, after },
		];
	}
	// Of an open document it is the text that counts, saved or not.
	const { text, edits } = change;
	if (operation !== "update" || text === undefined) return [{ path: resolved, before, after }];
	const [was, is] = [text.text, applyEdits(text.text, edits)];
	return [{ path: resolved, before: savedBytes(was, before), after: savedBytes(is, before) }];
}

function isSame(a: Uint8Array | undefined, b: Uint8Array | undefined): boolean {
	return a === undefined || b === undefined ? a === b : Buffer.compare(a, b) === 0;
}

function describeUnkept(paths: readonly string[]): Said {
	const [path = "", ...others] = paths;
	return others.length === 0 ? say("file-not-kept", { path }) : say("files-not-kept", { path, more: others.length });
}
