import { crc32 } from "node:zlib";
import { foldGrowing } from "../history/fold-growing.ts";
import type { HistoryItem } from "../history/history-item.ts";
import type { ModelRequest } from "./port.ts";
import { toolsText } from "./tools-text.ts";

/** Parts of a request with their own digests, so that a difference can be named. */
export const REQUEST_PARTS = ["instructions", "tools", "settings", "input"] as const;

const known = new WeakMap<HistoryItem, number>();

/**
 * Tells two requests apart, part by part. Not a secret and not a signature: it is compared with what the same thread
 * recorded.
 */
export function digestRequest(request: ModelRequest): string {
	const { instructions, tools, input, ...settings } = request;
	const parts = [crc32(instructions), crc32(toolsText(tools)), crc32(sortKeys(settings)), digestInput(input)];
	return parts.map((part) => part.toString(16).padStart(8, "0")).join("-");
}

/** The checksum of all items' digests, with commas between them. */
const digestInput = foldGrowing<HistoryItem, number>(
	() => 0,
	(checksum, item, index) => crc32(index === 0 ? `${digestItem(item)}` : `,${digestItem(item)}`, checksum),
);

/** The parts in which two digests differ. */
export function compareDigests(a: string, b: string): readonly string[] {
	const others = b.split("-");
	const mine = a.split("-");
	return REQUEST_PARTS.filter((_, index) => mine[index] !== others[index]);
}

/** Items never change once recorded, so each is digested once. */
export function digestItem(item: HistoryItem): number {
	const found = known.get(item);
	if (found !== undefined) return found;
	const digest = crc32(sortKeys(item));
	known.set(item, digest);
	return digest;
}

// A value read back from a record has no undefined keys and may have another key order.
function sortKeys(value: object): string {
	return JSON.stringify(
		Object.entries(value)
			.filter(([, part]) => part !== undefined)
			.sort(byName),
	);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
	return a < b ? -1 : 1;
}
