import { describeCallEnd } from "../protocol/call-end.ts";
import type { CallItem } from "../protocol/thread/item.ts";
import { makeVisibleLine } from "./visible.ts";

/** A call in a line. What went well needs no comment; the rest does. */
export function describeCall(item: CallItem, isDenied: boolean): string {
	const end = describeCallEnd(item, isDenied);
	return `${makeVisibleLine(item.title)}${end === undefined ? "" : ` (${end.message})`}`;
}
