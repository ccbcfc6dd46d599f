import { stripVTControlCharacters } from "node:util";
import type { CommandText } from "../backend.ts";

/** A command's output with a limit: the beginning and the end are kept, the bytes between are counted. */
export interface Output {
	readonly push: (chunk: Buffer) => void;
	readonly read: () => CommandText;
	/** All bytes, including those that were not kept. */
	readonly bytes: () => number;
}

/** Above this share of non-text characters, output is described instead of shown. */
const BINARY_SHARE = 0.3;

export function createOutput(limit: number): Output {
	const half = Math.max(1, Math.floor(limit / 2));
	const head: Buffer[] = [];
	const tail = createRing(half);
	let headBytes = 0;
	let bytes = 0;
	return {
		push: (chunk) => {
			bytes += chunk.length;
			const space = Math.min(chunk.length, half - headBytes);
			if (space > 0) head.push(Buffer.from(chunk.subarray(0, space)));
			headBytes += Math.max(0, space);
			if (space < chunk.length) tail.push(chunk.subarray(Math.max(0, space)));
		},
		read: () => {
			const [start, end] = [Buffer.concat(head), tail.read()];
			const dropped = bytes - start.length - end.length;
			if (dropped === 0) return { text: readableText(Buffer.concat([start, end])), bytes, dropped };
			const text = `${readableText(start)}\n[… ${dropped} bytes omitted …]\n${readableText(end)}`;
			return { text, bytes, dropped };
		},
		bytes: () => bytes,
	};
}

/** The last `size` bytes, in a buffer that is allocated once. */
function createRing(size: number): { readonly push: (chunk: Buffer) => void; readonly read: () => Buffer } {
	let ring: Buffer | undefined;
	let seen = 0;
	return {
		push: (chunk) => {
			ring ??= Buffer.alloc(size);
			const part = chunk.subarray(Math.max(0, chunk.length - size));
			const from = (seen + chunk.length - part.length) % size;
			const fits = part.copy(ring, from);
			part.copy(ring, 0, fits);
			seen += chunk.length;
		},
		read: () => {
			if (ring === undefined) return Buffer.alloc(0);
			if (seen <= size) return ring.subarray(0, seen);
			const at = seen % size;
			return Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
		},
	};
}

/**
 * A terminal program's bytes as text: escape sequences removed, progress lines reduced to their last state, control
 * characters and broken UTF-8 replaced. Output that is mostly not text is only described.
 */
export function readableText(bytes: Buffer): string {
	if (isMostlyNul(bytes)) return describe(bytes);
	const decoded = bytes.toString("utf8");
	const plain = decoded.includes("\u001b") ? stripVTControlCharacters(decoded) : decoded;
	const settled = plain.includes("\r") ? plain.split("\n").map(keepLastState).join("\n") : plain;
	const text = settled.replaceAll(CONTROLS, "\ufffd");
	const odd = text.split("\ufffd").length - 1;
	return odd > 8 && odd > text.length * BINARY_SHARE ? describe(bytes) : text;
}

/** All control characters except line feed and tab. */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

const SAMPLE_BYTES = 8_192;

function isMostlyNul(bytes: Buffer): boolean {
	const sample = bytes.subarray(0, SAMPLE_BYTES);
	return sample.length > 64 && sample.filter((byte) => byte === 0).length > sample.length * BINARY_SHARE;
}

function describe(bytes: Buffer): string {
	return `[${bytes.length} bytes of binary data]`;
}

function keepLastState(line: string): string {
	const whole = line.endsWith("\r") ? line.slice(0, -1) : line;
	return whole.slice(whole.lastIndexOf("\r") + 1);
}
