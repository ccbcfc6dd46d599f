import type { Policy } from "../permissions/policy.ts";
import { readInside } from "../sandbox/files.ts";
import { type OpenText, openTextInside } from "../sandbox/open-text.ts";
import { type SearchPrograms, searchInside } from "../sandbox/search.ts";
import { walkInside } from "../sandbox/walk.ts";
import type { ToolPorts } from "../tools/tool.ts";

/** The effects of a turn's tools, bound to what its policy lets them read. Open documents win over the disk. */
export function createToolPorts(policy: Policy, programs: SearchPrograms, documents: OpenText): ToolPorts {
	return {
		readText: async (path) => {
			const text = await openTextInside(path, policy.read, documents);
			return text === undefined ? readInside(path, policy.read) : { ok: true, text };
		},
		listFiles: (folder, limit, signal) => walkInside(folder, policy.read, limit, signal),
		searchFiles: (request, signal) => searchInside(programs, request, policy.read, documents, signal),
	};
}
