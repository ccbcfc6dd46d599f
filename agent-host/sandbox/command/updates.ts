import { createOutput, type Output } from "./command-output.ts";

const UPDATE_MS = 100;
/** Limit for one update; the outcome has the rest. */
const UPDATE_BYTES = 16_384;

/** Reports a command's output while it runs: at most ten times a second, with a limited text each. */
export interface Updates {
	readonly push: (chunk: Buffer) => void;
	/** Reports the rest. */
	readonly flush: () => void;
}

export function createUpdates(onOutput: ((text: string) => void) | undefined): Updates {
	if (onOutput === undefined) return { push: () => undefined, flush: () => undefined };
	let waiting: Output | undefined;
	let timer: NodeJS.Timeout | undefined;
	let cut = Buffer.alloc(0);
	const flush = (): void => {
		clearTimeout(timer);
		timer = undefined;
		if (waiting !== undefined) onOutput(waiting.read().text);
		waiting = undefined;
	};
	return {
		push: (chunk) => {
			const bytes = cut.length === 0 ? chunk : Buffer.concat([cut, chunk]);
			const end = bytes.length - cutCharacter(bytes);
			cut = Buffer.from(bytes.subarray(end));
			waiting ??= createOutput(UPDATE_BYTES);
			waiting.push(bytes.subarray(0, end));
			timer ??= setTimeout(flush, UPDATE_MS);
		},
		flush,
	};
}

/** Number of bytes at the end that form an incomplete UTF-8 character; they are reported with the next bytes. */
function cutCharacter(bytes: Buffer): number {
	for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
		const byte = bytes[bytes.length - back] ?? 0;
		const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
		if (length > 0) return length > back ? back : 0;
		if (byte < 0x80) return 0;
	}
	return 0;
}
