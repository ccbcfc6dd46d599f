import { basename } from "node:path";
import { imageOf } from "../../history/image.ts";
import type { ReadLog } from "../../patch/read-log.ts";
import type { Policy } from "../../permissions/policy.ts";
import { MAX_IMAGE_BYTES } from "../../protocol/image.ts";
import { readBytesInside, readInside } from "../../sandbox/files/files.ts";
import { type OpenText, openTextInside } from "../../sandbox/files/open-text.ts";
import { type Readable, readableUnder } from "../../sandbox/files/readable.ts";
import { type SearchPrograms, searchInside } from "../../sandbox/files/search.ts";
import { walkInside } from "../../sandbox/files/walk.ts";
import type { CommandPorts } from "../../tools/command.ts";
import type { PatchPorts, ToolPorts } from "../../tools/tool.ts";

/** The effects of a turn's tools, bound to what its policy lets them read. Open documents win over the disk. */
export function createToolPorts(
	policy: Policy,
	programs: SearchPrograms,
	documents: OpenText,
	patching: { readonly patches: PatchPorts; readonly reads: ReadLog },
): Omit<ToolPorts, "recall" | keyof CommandPorts> {
	let bound: Readable | undefined;
	// The first call binds the policy to the disk; links changed later in the turn cannot widen it.
	const readable = (): Readable => {
		bound ??= readableUnder(policy);
		return bound;
	};
	return {
		readText: async (path) => {
			const text = await openTextInside(path, readable(), documents);
			const outcome = text === undefined ? await readInside(path, readable()) : { ok: true as const, text };
			if (outcome.ok) patching.reads.recordRead(path, outcome.text);
			return outcome;
		},
		readImage: async (path) => {
			const read = await readBytesInside(path, readable(), MAX_IMAGE_BYTES);
			return read.ok ? imageOf(read.bytes, basename(path)) : read;
		},
		...patching.patches,
		listFiles: async (folder, limit, signal) => walkInside(folder, readable(), limit, signal),
		searchFiles: async (request, signal) => searchInside(programs, request, readable(), documents, signal),
	};
}
