import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import type { KeptCode } from "./kept-code.ts";
import { underFlagsOfNode } from "./spare-memory.ts";

/**
 * Loads the host's chunks: CommonJS files that require modules of Node, and each other by their place beside `program`.
 * Node's own loader would do, but gives no access to the compiled code.
 */
export function createChunkLoader(program: string, code: KeptCode): (chunk: string) => unknown {
	const folder = dirname(program);
	const chunks = new Map<string, { exports: unknown }>();
	const modulesOfNode = new Map<string, unknown>();
	function load(chunk: string): unknown {
		const known = chunks.get(chunk);
		if (known !== undefined) return known.exports;
		const file = join(folder, chunk);
		const cachedData = code.find(chunk);
		const script = new Script(wrap(readFileSync(file, "utf8")), {
			filename: file,
			...(cachedData !== undefined && { cachedData }),
		});
		code.loaded(chunk, script);
		const module = { exports: {} };
		chunks.set(chunk, module);
		script.runInThisContext()(module.exports, require, module, folder);
		return module.exports;
	}
	function require(name: string): unknown {
		if (name.startsWith("./")) return load(name.slice(2));
		const known = modulesOfNode.get(name);
		if (known !== undefined) return known;
		const loaded = underFlagsOfNode(() => process.getBuiltinModule(name));
		modulesOfNode.set(name, loaded);
		return loaded;
	}
	return load;
}

/** The chunks were strict before they became CommonJS. On one line, so that line numbers stay. */
function wrap(source: string): string {
	return `(function (exports, require, module, __dirname) { "use strict"; ${source}\n})`;
}
