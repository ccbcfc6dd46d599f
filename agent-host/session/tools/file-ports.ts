import { basename } from "node:path";
import { checkImage } from "../../history/image-facts.ts";
import type { ReadLog } from "../../patch/read-log.ts";
import type { Policy } from "../../permissions/policy/policy.ts";
import { MAX_IMAGE_BYTES } from "../../protocol/thread/image.ts";
import type { CommandPorts } from "../../tools/command-call.ts";
import type { PatchPorts, ToolPorts } from "../../tools/tool.ts";
import { type OpenText, openTextInside } from "../../workspace/files/open-text.ts";
import { readBytesInside, readInside } from "../../workspace/files/read-files.ts";
import { type Readable, readableIn } from "../../workspace/files/readable.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";
import { type RunRipgrep, searchInside } from "../../workspace/files/search.ts";
import { walkInside } from "../../workspace/files/walk.ts";

/** The effects of a turn's tools, limited to what its policy lets them read. Open documents win over the disk. */
export function createToolPorts(
	bound: () => Promise<Policy>,
	ripgrep: RunRipgrep | undefined,
	documents: OpenText,
	patching: { readonly patches: PatchPorts; readonly reads: ReadLog },
): Omit<ToolPorts, "recall" | "callServer" | keyof CommandPorts> {
	let known: Promise<Readable> | undefined;
	const readable = (): Promise<Readable> => {
		known ??= bound().then(readableIn);
		return known;
	};
	return {
		policy: bound,
		lookUp: (path) => {
			const { real, via } = findRealPath(path);
			return { kind: "read", path, resolved: real, via };
		},
		readText: async (path) => {
			const text = await openTextInside(path, await readable(), documents);
			const outcome = text === undefined ? await readInside(path, await readable()) : { ok: true as const, text };
			if (outcome.ok) patching.reads.recordRead(path, outcome.text);
			return outcome;
		},
		readImage: async (path) => {
			const read = await readBytesInside(path, await readable(), MAX_IMAGE_BYTES);
			return read.ok ? checkImage(read.bytes, basename(path)) : read;
		},
		...patching.patches,
		listFiles: async (folder, limit, signal) => walkInside(folder, await readable(), limit, signal),
		searchFiles: async (request, signal) => searchInside(ripgrep, request, await readable(), documents, signal),
	};
}
