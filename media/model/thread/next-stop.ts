import { isCodeFence } from "../markdown/blocks.ts";
import { expandRow, type Row } from "./rows.ts";

/** Something of a kind before or after where the reader is. */
export interface Jump {
	readonly to: "prompt" | "code";
	readonly direction: "next" | "previous";
}

/** Where the reader wants to be. */
export type ScrollTarget =
	| { readonly to: "end" }
	/** `focus`: what in the row takes the focus, by a selector and its place among what that finds. */
	| { readonly to: "row"; readonly key: string; readonly focus?: { readonly selector: string; readonly nth: number } }
	| Jump;

/** The key of the nearest row of that kind, also in an answer that has not been split yet. */
export function findNextStop(rows: readonly Row[], from: number, { to, direction }: Jump): string | undefined {
	const ahead = direction === "next" ? rows.slice(from + 1) : rows.slice(0, Math.max(from, 0)).reverse();
	for (const row of ahead) {
		const stops = expandForCode(row, to).filter((part) => isStop(part, to));
		const stop = direction === "next" ? stops[0] : stops.at(-1);
		if (stop) return stop.key;
	}
	return undefined;
}

function expandForCode(row: Row, to: Jump["to"]): readonly Row[] {
	return row.type === "unsplit" && to === "code" && MAY_HOLD_CODE.test(row.entry.text) ? expandRow(row) : [row];
}

const MAY_HOLD_CODE = /^ {0,3}(```|~~~)/m;

function isStop(row: Row, to: Jump["to"]): boolean {
	if (to === "code") return row.type === "block" && isCodeFence(row.block.source);
	if (row.type !== "entry" || row.entry.kind !== "userMessage") return false;
	return row.entry.messageKind === "plain";
}
