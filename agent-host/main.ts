// The first file of both programs, the agent host and the command line. It loads their chunks.
import { refuseOldNode } from "./start/check-node.ts";
import { NOTHING_KEPT, openKeptCode } from "./start/kept-code.ts";
import { createChunkLoader } from "./start/load-chunks.ts";
import type { Program } from "./start/program.ts";
import { spareYoungSpace } from "./start/spare-memory.ts";
import { createUpkeep } from "./start/upkeep.ts";

/** Set by the build: the chunk that has the program, the file with the chunks to serve an editor, and a hash of all chunks. */
declare const VITRINE_PROGRAM: string;
declare const VITRINE_SERVING: string | undefined;
declare const VITRINE_BUILD: string;

const refusal = refuseOldNode(process.versions.node);
if (refusal !== undefined) {
	console.error(refusal);
	process.exit(1);
}

const args = process.argv.slice(2);
const isServing = args.includes("--node-ipc") || args.includes("--stdio");
// Before anything is loaded, because kept code is only valid under the flags that it was compiled with.
if (isServing) spareYoungSpace();
const place = args.indexOf("--code-cache");
const folder = isServing && place !== -1 ? args[place + 1] : undefined;
const code = folder === undefined ? NOTHING_KEPT : openKeptCode(folder, VITRINE_BUILD);
const load = createChunkLoader(__filename, code, isServing ? VITRINE_SERVING : undefined);
const { run } = load(VITRINE_PROGRAM) as Program;
void run(args, createUpkeep(code));
