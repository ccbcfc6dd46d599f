import { createOutput, type Output } from "./command-output.ts";

const UPDATE_MS = 100;
/** What one update shows at most; the whole is in the outcome. */
const UPDATE_BYTES = 16_384;

/** Tells what a command writes while it runs: at most ten times a second, each time a bounded text. */
export interface Updates {
	readonly push: (chunk: Buffer) => void;
	/** Tells what is left. */
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

/** Bytes at the end that begin a character of UTF-8 and do not end it; it is told with what comes next. */
function cutCharacter(bytes: Buffer): number {
	for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
		const byte = bytes[bytes.length - back] ?? 0;
		const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
		if (length > 0) return length > back ? back : 0;
		if (byte < 0x80) return 0;
	}
	return 0;
}
