import { crc32 } from "node:zlib";

/** Compiled code of the host's chunks, as it is kept in one file. */
export interface KeptChunks {
	/** Whether a turn had run: before that, most of what a turn needs is not compiled yet. */
	readonly afterTurn: boolean;
	readonly chunks: ReadonlyMap<string, Buffer>;
}

/** The first line of the file; the code of the chunks follows without gaps. */
interface Head {
	readonly afterTurn: boolean;
	readonly chunks: readonly (readonly [name: string, bytes: number])[];
	readonly crc: number;
}

const LINE_END = 10;

export function renderKeptChunks({ afterTurn, chunks }: KeptChunks): Buffer {
	const code = Buffer.concat([...chunks.values()]);
	const head: Head = {
		afterTurn,
		chunks: [...chunks].map(([name, { length }]) => [name, length]),
		crc: crc32(code),
	};
	return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), code]);
}

/**
 * Undefined if the file is damaged: V8 does not notice, and would run whatever it says. The code of each chunk is a copy,
 * so that it takes up memory only as long as it is used.
 */
export function parseKeptChunks(file: Buffer): KeptChunks | undefined {
	const end = file.indexOf(LINE_END);
	const code = file.subarray(end + 1);
	try {
		const { afterTurn, chunks, crc }: Head = JSON.parse(file.toString("utf8", 0, Math.max(end, 0)));
		if (crc32(code) !== crc) return undefined;
		let at = 0;
		const sliced = chunks.map(([name, bytes]) => {
			at += bytes;
			return [name, Buffer.from(code.subarray(at - bytes, at))] as const;
		});
		return { afterTurn, chunks: new Map(sliced) };
	} catch {
		return undefined;
	}
}
