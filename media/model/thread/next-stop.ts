import { isCodeFence } from "../markdown/blocks.ts";
import { expandRow, type Row } from "./rows.ts";

/** The next or previous prompt or code block, relative to the reader's position. */
export interface Jump {
	readonly to: "prompt" | "code";
	readonly direction: "next" | "previous";
}

/** Where to scroll to. */
export type ScrollTarget =
	| { readonly to: "end" }
	/**
	 * `focus`: the element of the row that takes the focus, by selector and index. `stays`: the row is in view and keeps
	 * its place, although it changes its height.
	 */
	| {
			readonly to: "row";
			readonly key: string;
			readonly focus?: { readonly selector: string; readonly nth: number };
			readonly stays?: true;
	  }
	| Jump;

/** Key of the nearest row of that kind; also searches answers that are not split yet. */
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
