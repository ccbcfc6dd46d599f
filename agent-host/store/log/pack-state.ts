import { deserialize, serialize } from "node:v8";
import type { HistoryItem } from "../../history/history-item.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { ThreadState, TurnStart, UnreadText } from "../records/thread-state.ts";
import type { EventPlace, SavedPlaces } from "./event-log.ts";
import type { FoldState } from "./fold-lines.ts";

/** A line of an unfinished turn: its JSON, or only its place if only that turn needs it. */
export type HeldLine = string | Omit<EventPlace, "seq">;

/** What is kept of a thread, but for its place in the log. */
export interface Saved {
	readonly fold: FoldState;
	readonly last: { readonly n: number; readonly at: number };
	readonly newest: ReadonlyMap<string, HeldLine>;
	readonly held: readonly HeldLine[];
	readonly isOpen: boolean;
	readonly events: SavedPlaces;
}

/** Items in one piece: few enough that nothing else waits for it. */
const SLICE_ITEMS = 1_000;

/** A text that is still in a blob, by the place of its item in the history. */
type PlacedText = Omit<UnreadText, "item"> & { readonly at: number };

interface Head {
	readonly saved: Saved;
	/** Undefined if the history is in one piece with the rest, because other parts share its items. */
	readonly unread: readonly (PlacedText | UnreadText)[] | undefined;
	readonly turnStarts: Columns;
	readonly touchStarts: Columns;
}

/** Where turns begin, without an object for each. */
interface Columns {
	readonly turnIds: readonly TurnId[];
	readonly at: Float64Array;
	/** Which of `models` answered, from 1; 0 if that is not known. */
	readonly by: Uint32Array;
	readonly models: readonly NonNullable<TurnStart["by"]>[];
}

/** Bytes for what is kept, in pieces that can be read one at a time. Lets other work go first after each. */
export async function packState(saved: Saved, sliceItems = SLICE_ITEMS): Promise<readonly Buffer[]> {
	const { state } = saved.fold;
	const isShared = state.beforeCompaction !== undefined || state.undos.some(({ before }) => before !== undefined);
	const rest: ThreadState = {
		...state,
		turnStarts: [],
		touchStarts: [],
		...(isShared ? {} : { history: [], unread: [] }),
	};
	const head: Head = {
		saved: { ...saved, fold: { ...saved.fold, state: rest } },
		unread: isShared ? undefined : placeTexts(state),
		turnStarts: toColumns(state.turnStarts),
		touchStarts: toColumns(state.touchStarts),
	};
	const slices: Buffer[] = [];
	for (let from = 0; !isShared && from < state.history.length; from += sliceItems) {
		await new Promise(setImmediate);
		slices.push(serialize(state.history.slice(from, from + sliceItems)));
	}
	return [serialize(head), ...slices];
}

/** What was packed. Lets other work go first after each piece. */
export async function unpackState(pieces: readonly Buffer[]): Promise<Saved> {
	const [first = Buffer.alloc(0), ...slices] = pieces;
	const head: Head = deserialize(first);
	const history: HistoryItem[] = head.unread === undefined ? head.saved.fold.state.history : [];
	for (const slice of slices) {
		await new Promise(setImmediate);
		for (const item of deserialize(slice) as readonly HistoryItem[]) history.push(item);
	}
	const { fold } = head.saved;
	const unread = head.unread?.map((text) => findItem(text, history)) ?? fold.state.unread;
	const starts = { turnStarts: fromColumns(head.turnStarts), touchStarts: fromColumns(head.touchStarts) };
	return { ...head.saved, fold: { ...fold, state: { ...fold.state, history, unread, ...starts } } };
}

function placeTexts({ history, unread }: ThreadState): readonly (PlacedText | UnreadText)[] {
	if (unread.length === 0) return [];
	const places = new Map(history.map((item, index) => [item, index]));
	return unread.map((text) => {
		const at = places.get(text.item);
		return at === undefined ? text : { at, path: text.path, sha256: text.sha256 };
	});
}

function findItem(text: PlacedText | UnreadText, history: readonly HistoryItem[]): UnreadText {
	if ("item" in text) return text;
	const item = history[text.at];
	if (item === undefined) throw new Error("An item of the history is missing.");
	return { item, path: text.path, sha256: text.sha256 };
}

function toColumns(starts: readonly TurnStart[]): Columns {
	const models = new Map<string, readonly [index: number, by: NonNullable<TurnStart["by"]>]>();
	const index = (by: TurnStart["by"]): number => {
		if (by === undefined) return 0;
		const name = JSON.stringify([by.provider, by.model]);
		const known = models.get(name) ?? [models.size + 1, by];
		models.set(name, known);
		return known[0];
	};
	return {
		turnIds: starts.map(({ turnId }) => turnId),
		at: Float64Array.from(starts, ({ at }) => at),
		by: Uint32Array.from(starts, ({ by }) => index(by)),
		models: [...models.values()].map(([, by]) => by),
	};
}

function fromColumns({ turnIds, at, by, models }: Columns): TurnStart[] {
	return turnIds.map((turnId, index) => {
		const model = models[(by[index] ?? 0) - 1];
		const start = { turnId, at: at[index] ?? 0 };
		return model === undefined ? start : { ...start, by: model };
	});
}
