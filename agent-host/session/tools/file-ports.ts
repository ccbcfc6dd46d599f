import { basename } from "node:path";
import { checkImage } from "../../history/image-facts.ts";
import type { ReadLog } from "../../patch/read-log.ts";
import type { Policy } from "../../permissions/policy/policy.ts";
import { closesBelow } from "../../permissions/reach/reach.ts";
import { MAX_IMAGE_BYTES } from "../../protocol/limits.ts";
import type { AgentPorts } from "../../tools/agent-call.ts";
import type { CommandPorts } from "../../tools/command-call.ts";
import type { LanguagePorts } from "../../tools/language-port.ts";
import type { PatchPorts, ToolPorts } from "../../tools/tool-ports.ts";
import type { OpenDocuments } from "../../workspace/apply/open-documents.ts";
import { keepUnsaved, type OpenText, openTextInside } from "../../workspace/files/open-text.ts";
import { readBytesInside, readInside } from "../../workspace/files/read-files.ts";
import { type Readable, readableIn } from "../../workspace/files/readable.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";
import { type RunRipgrep, searchInside } from "../../workspace/files/search.ts";
import { walkInside } from "../../workspace/files/walk.ts";

/** The effects of a turn's tools, limited to what its policy lets them read. Unsaved text wins over the disk. */
export function createToolPorts(
	bound: () => Promise<Policy>,
	ripgrep: RunRipgrep | undefined,
	documents: OpenText,
	editor: Pick<OpenDocuments, "encodingOf" | "isUnsaved">,
	patching: { readonly patches: PatchPorts; readonly reads: ReadLog },
): Omit<
	ToolPorts,
	| "recall"
	| "serverTools"
	| "callServer"
	| "readServerPrompt"
	| "askUser"
	| "fetchPage"
	| "useSkill"
	| "language"
	| keyof AgentPorts
	| keyof CommandPorts
> &
	Pick<LanguagePorts, "peek"> {
	let known: Promise<Readable> | undefined;
	const readable = (): Promise<Readable> => {
		known ??= bound().then(readableIn);
		return known;
	};
	const peek = async (path: string) => {
		const names = new Set([path, findRealPath(path).real]);
		const open = await Promise.all([...names].map((name) => keepUnsaved(name, documents, editor.isUnsaved)));
		const text = await openTextInside(path, await readable(), new Map(open.flatMap((texts) => [...texts])));
		return text === undefined ? readInside(path, await readable(), editor.encodingOf) : { ok: true as const, text };
	};
	return {
		policy: bound,
		editPolicy: bound,
		peek,
		lookUp: (path) => {
			const { real, via } = findRealPath(path);
			return { kind: "read", path, resolved: real, via };
		},
		readText: async (path) => {
			const outcome = await peek(path);
			if (outcome.ok) patching.reads.recordRead(path, outcome.text);
			return outcome;
		},
		isUnsavedNotebook: editor.isUnsaved,
		readImage: async (path) => {
			const read = await readBytesInside(path, await readable(), MAX_IMAGE_BYTES);
			return read.ok ? checkImage(read.bytes, basename(path)) : read;
		},
		...patching.patches,
		listFiles: async (folder, limit, signal) => walkInside(folder, await readable(), limit, signal),
		searchFiles: async (request, signal) => {
			const policy = await bound();
			const access = { readable: await readable(), closesBelow: (folder: string) => closesBelow(policy, folder) };
			const unsaved = await keepUnsaved(request.folder, documents, editor.isUnsaved);
			return searchInside(ripgrep, request, access, unsaved, signal);
		},
	};
}
