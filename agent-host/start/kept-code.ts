import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import type { Script } from "node:vm";
import { type KeptChunks, parseKeptChunks, renderKeptChunks } from "./kept-code-file.ts";

/**
 * What V8 has compiled of the host, kept for the next start. Unlike Node's own cache, which is filled when a file is
 * loaded, it has the functions that were called later, too.
 */
export interface KeptCode {
	/** Comes once for each. */
	readonly find: (chunk: string) => Buffer | undefined;
	readonly loaded: (chunk: string, script: Script) => void;
	/** Keeps what is compiled now, if the next start gains by it, which takes about 100 ms then. Comes once, at last. */
	readonly keep: (afterTurn: boolean) => void;
}

/** For programs that have no place to keep anything. */
export const NOTHING_KEPT: KeptCode = { find: () => undefined, loaded: () => undefined, keep: () => undefined };

const ENDING = ".code";

/**
 * Write access to this folder controls what the host runs, so it must be one that no command of the agent can reach.
 * `build` names the content of the chunks: V8 only compares their length.
 */
export function openKeptCode(folder: string, build: string): KeptCode {
	// The tag stands for V8's version, its flags and the processor.
	const file = join(folder, `${build}-${cachedDataVersionTag().toString(16)}${ENDING}`);
	const { afterTurn: hadTurn, chunks } = read(file) ?? {};
	const unused = new Map(chunks);
	const scripts = new Map<string, Script>();
	const isUnknown = ({ cachedDataRejected }: Script) => cachedDataRejected !== false;
	/** Whether the next start would have to compile more without what is compiled now. */
	const gains = (afterTurn: boolean) =>
		hadTurn === undefined || (afterTurn && (!hadTurn || [...scripts.values()].some(isUnknown)));
	return {
		find: (chunk) => {
			const found = unused.get(chunk);
			// V8 copies what it needs of it, and the file takes up 2 MB.
			unused.delete(chunk);
			return found;
		},
		loaded: (chunk, script) => scripts.set(chunk, script),
		keep: (afterTurn) => {
			if (gains(afterTurn)) {
				const compiled = [...scripts].map(([chunk, script]) => [chunk, script.createCachedData()] as const);
				write(folder, file, { afterTurn, chunks: new Map([...unused, ...compiled]) });
				removeOtherBuilds(folder, build);
			}
			unused.clear();
			scripts.clear();
		},
	};
}

function read(file: string): KeptChunks | undefined {
	try {
		return parseKeptChunks(readFileSync(file));
	} catch {
		return undefined;
	}
}

/** Another window may write the same file. If it cannot be written, the next start only takes longer. */
function write(folder: string, file: string, kept: KeptChunks): void {
	const fresh = `${file}.${process.pid}`;
	try {
		mkdirSync(folder, { recursive: true, mode: 0o700 });
		writeFileSync(fresh, renderKeptChunks(kept), { mode: 0o600 });
		renameSync(fresh, file);
	} catch {
		rmSync(fresh, { force: true });
	}
}

/** After an update nothing reads what the builds before it have kept. */
function removeOtherBuilds(folder: string, build: string): void {
	try {
		const others = readdirSync(folder).filter((name) => name.includes(ENDING) && !name.startsWith(`${build}-`));
		for (const name of others) rmSync(join(folder, name), { force: true });
	} catch {
		// They only take up space.
	}
}
