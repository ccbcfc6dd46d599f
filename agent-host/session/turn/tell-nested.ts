import { diffWorld } from "../../context/diff.ts";
import { folderInstructions } from "../../context/sections/folder-instructions.ts";
import { withNested } from "../../envelope/resolve-envelope.ts";
import { asHistoryItem } from "../../history/history-item.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import { readableUnder } from "../../workspace/files/readable.ts";
import { loadNested } from "../../workspace/instructions/load-instructions.ts";
import { envelopeRecords } from "../start/record-envelope.ts";
import { asContextUpdate, fragmentKindsIn } from "../thread/due-fragments.ts";
import type { Draft } from "../thread/live-thread.ts";
import type { Turn } from "../thread/running-turn.ts";

/** Limit for folders of a thread with instructions of their own. */
const MAX_FOLDERS = 64;

/**
 * Between two steps: states the instructions of folders that the turn has begun to work in. Returns the turn as it
 * continues; they are part of its envelope, so later turns and compactions state them, too.
 */
export async function tellNested(turn: Turn): Promise<Turn> {
	const { thread, envelope, touched } = turn;
	const { workspace, instructions, policy, identity } = envelope;
	const { nested, files, fallbacks } = instructions;
	const { cwd, roots } = workspace;
	if (!workspace.trusted || !turn.isTrusted() || cwd === undefined) return turn;
	const folders = touched
		.takeFolders(cwd, roots)
		.filter((folder) => !nested.folders.includes(folder))
		.slice(0, Math.max(0, MAX_FOLDERS - nested.folders.length));
	if (folders.length === 0) return turn;
	const beside = [...files, ...nested.files];
	const loaded = await loadNested({ folders, roots, fallbacks, beside, readable: readableUnder(policy.value) });
	const { turnId } = identity;
	const warnings = loaded.problems
		.filter((message) => !thread.warned.has(message) && thread.warned.add(message))
		.map((message): Draft => ({ kind: "event", event: { type: "warning", turnId, code: "instructions", message } }));
	if (loaded.files.length === 0) {
		await thread.commit(warnings, "unsynced");
		return turn;
	}
	const found = folders.filter((folder) => loaded.files.some(({ path }) => isInside(path, folder)));
	const next = withNested(envelope, {
		folders: [...nested.folders, ...found],
		files: [...nested.files, ...loaded.files],
	});
	await thread.commit((state) => {
		const { told, history } = state;
		const { fragments, snapshot } = diffWorld([folderInstructions], next, told, fragmentKindsIn(history));
		return [
			{ kind: "event", event: asContextUpdate(turnId, fragments) },
			{ kind: "items", turnId, items: fragments.map(asHistoryItem) },
			{ kind: "told", snapshot: { ...told, ...snapshot } },
			...envelopeRecords(thread, next),
			...warnings,
		];
	}, "synced");
	if (thread.running !== undefined) thread.running = { ...thread.running, envelope: next };
	return { ...turn, envelope: next };
}
