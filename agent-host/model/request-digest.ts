import { crc32 } from "node:zlib";
import { foldGrowing } from "../history/fold-growing.ts";
import type { HistoryItem } from "../history/history-item.ts";
import type { ModelRequest } from "./port.ts";
import { toolsText } from "./tools-text.ts";

/** Parts of a request with their own digests, so that a difference can be named. */
export const REQUEST_PARTS = ["instructions", "tools", "settings", "input"] as const;

/**
 * Tells two requests apart, part by part. Not a secret and not a signature: it is compared with what the same thread
 * recorded.
 */
export function digestRequest(request: ModelRequest): string {
	const { instructions, tools, input, ...settings } = request;
	const parts = [crc32(instructions), crc32(toolsText(tools)), crc32(sortKeys(settings)), crc32(listDigests(input))];
	return parts.map((part) => part.toString(16).padStart(8, "0")).join("-");
}

/** The digests of all items, with commas between them. */
const listDigests = foldGrowing<HistoryItem, string>(
	() => "",
	(digests, item, index) => (index === 0 ? `${digestItem(item)}` : `${digests},${digestItem(item)}`),
	// Items never change once recorded, so each is digested once, however large it is.
	1,
);

/** The parts in which two digests differ. */
export function compareDigests(a: string, b: string): readonly string[] {
	const others = b.split("-");
	const mine = a.split("-");
	return REQUEST_PARTS.filter((_, index) => mine[index] !== others[index]);
}

export function digestItem(item: HistoryItem): number {
	return crc32(sortKeys(item));
}

// A value read back from a record has no undefined keys and may have another key order.
function sortKeys(value: Readonly<Record<string, unknown>> | HistoryItem): string {
	const parts: [name: string, part: unknown][] = [];
	for (const name of Object.keys(value).sort()) {
		const part: unknown = value[name as keyof typeof value];
		if (part !== undefined) parts.push([name, part]);
	}
	return JSON.stringify(parts);
}
