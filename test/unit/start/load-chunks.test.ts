import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { NOTHING_KEPT } from "../../../agent-host/start/kept-code.ts";
import { createChunkLoader } from "../../../agent-host/start/load-chunks.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-chunks-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const urlOf = (file: string) => pathToFileURL(join(import.meta.dirname, "../../../agent-host/start", file)).href;

/** A chunk as the build writes it. */
function chunkOf(body: string): string {
	return `(function (exports, require, module, __dirname) { "use strict"; ${body} })`;
}

/** What Node says of its own modules after a process that spares memory as the host does has loaded a chunk. */
function loadInProcess(chunk: string): {
	readonly compiledBefore: readonly string[];
	readonly compiled: readonly string[];
} {
	writeFileSync(join(folder, "chunk.cjs"), chunkOf(chunk));
	const program = `
		import { createRequire } from "node:module";
		import { NOTHING_KEPT } from ${JSON.stringify(urlOf("kept-code.ts"))};
		import { createChunkLoader } from ${JSON.stringify(urlOf("load-chunks.ts"))};
		import { spareOldSpace, spareYoungSpace } from ${JSON.stringify(urlOf("spare-memory.ts"))};
		const { internalBinding } = createRequire(import.meta.url)("internal/test/binding");
		spareYoungSpace();
		spareOldSpace();
		createChunkLoader(${JSON.stringify(join(folder, "program.cjs"))}, NOTHING_KEPT)("chunk.cjs");
		const { compiledWithCache, compiledWithoutCache } = internalBinding("builtins").getCacheUsage();
		console.log(JSON.stringify({ compiledBefore: [...compiledWithCache], compiled: [...compiledWithoutCache] }));
	`;
	const args = ["--no-warnings", "--expose-internals", "--input-type=module", "-e", program];
	return JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
}

test("modules of Node are loaded as they came compiled with it, whatever flags of V8 the host has set", () => {
	const { compiledBefore, compiled } = loadInProcess('require("node:http"); require("node:sqlite");');
	assert.ok(compiledBefore.includes("http") && compiledBefore.includes("sqlite"), compiledBefore.join(" "));
	assert.deepEqual(compiled, []);
});

test("chunks that are together in files are read from there when they are needed, others from their own, each once", () => {
	const write = (file: string, chunks: Record<string, string>) =>
		writeFileSync(join(folder, file), `({ ${Object.entries(chunks).map(([name, chunk]) => `"${name}": ${chunk}`)} })`);
	write("serving.cjs", {
		"first.cjs": chunkOf('exports.then = () => [require("./second.cjs").all, require("./third.cjs").all];'),
		"second.cjs": '"session.cjs"',
	});
	write("session.cjs", { "second.cjs": chunkOf('exports.all = ["second", ...require("./third.cjs").all];') });
	writeFileSync(join(folder, "third.cjs"), chunkOf('exports.all = ["third"];'));
	const read: string[] = [];
	const code = { ...NOTHING_KEPT, loaded: (file: string) => void read.push(file) };
	const load = createChunkLoader(join(folder, "program.cjs"), code, "serving.cjs");
	const first = load("first.cjs") as { readonly then: () => readonly unknown[] };
	assert.deepEqual(read, ["serving.cjs"]);
	assert.deepEqual(first.then(), [["second", "third"], ["third"]]);
	assert.equal(load("first.cjs"), first);
	assert.deepEqual(read, ["serving.cjs", "session.cjs", "third.cjs"]);
});
