import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import type { KeptCode } from "./kept-code.ts";
import { underFlagsOfNode } from "./spare-memory.ts";

/** A chunk as the build writes it: a function of what a CommonJS module is given. */
type Chunk = (exports: object, require: (name: string) => unknown, module: { exports: object }, folder: string) => void;

/** Chunks in one file, by name, or the file that has them together with others. */
type Chunks = Record<string, Chunk | string>;

/**
 * Loads the host's chunks, which require modules of Node, and each other by their place beside `program`. Those that the
 * file `together` knows are read from there; each file costs a start half a millisecond. Node's own loader gives no access
 * to the compiled code.
 */
export function createChunkLoader(program: string, code: KeptCode, together?: string): (chunk: string) => unknown {
	const folder = dirname(program);
	const joined = together === undefined ? {} : evaluate<Chunks>(together);
	const loaded = new Map<string, { exports: object }>();
	const modulesOfNode = new Map<string, unknown>();
	function load(chunk: string): unknown {
		const known = loaded.get(chunk);
		if (known !== undefined) return known.exports;
		const make = find(chunk);
		const module = { exports: {} };
		loaded.set(chunk, module);
		make(module.exports, require, module, folder);
		return module.exports;
	}
	function find(chunk: string): Chunk {
		const found = joined[chunk];
		if (typeof found !== "string") return found ?? evaluate<Chunk>(chunk);
		Object.assign(joined, evaluate<Chunks>(found));
		return find(chunk);
	}
	function require(name: string): unknown {
		if (name.startsWith("./")) return load(name.slice(2));
		const known = modulesOfNode.get(name);
		if (known !== undefined) return known;
		const loadedOfNode = underFlagsOfNode(() => process.getBuiltinModule(name));
		modulesOfNode.set(name, loadedOfNode);
		return loadedOfNode;
	}
	function evaluate<Content>(name: string): Content {
		const filename = join(folder, name);
		const cachedData = code.find(name);
		const script = new Script(readFileSync(filename, "utf8"), {
			filename,
			...(cachedData !== undefined && { cachedData }),
		});
		code.loaded(name, script);
		return script.runInThisContext();
	}
	return load;
}
