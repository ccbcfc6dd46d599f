import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Script } from "node:vm";
import type { KeptCode } from "./kept-code.ts";

/**
 * Loads the host's chunks: CommonJS files that require each other by their place beside `program`. Node's own loader
 * would do, but gives no access to the compiled code.
 */
export function createChunkLoader(program: string, code: KeptCode): (chunk: string) => unknown {
	const folder = dirname(program);
	const modules = new Map<string, { exports: unknown }>();
	function load(chunk: string): unknown {
		const known = modules.get(chunk);
		if (known !== undefined) return known.exports;
		const file = join(folder, chunk);
		const cachedData = code.find(chunk);
		const script = new Script(wrap(readFileSync(file, "utf8")), {
			filename: file,
			...(cachedData !== undefined && { cachedData }),
		});
		code.loaded(chunk, script);
		const module = { exports: {} };
		modules.set(chunk, module);
		const requireOther = createRequire(file);
		const require = (name: string) => (name.startsWith("./") ? load(name.slice(2)) : requireOther(name));
		script.runInThisContext()(module.exports, require, module, folder);
		return module.exports;
	}
	return load;
}

/** The chunks were strict before they became CommonJS. On one line, so that line numbers stay. */
function wrap(source: string): string {
	return `(function (exports, require, module, __dirname) { "use strict"; ${source}\n})`;
}
