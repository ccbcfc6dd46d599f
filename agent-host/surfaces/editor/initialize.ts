import * as z from "zod";
import { HostOptions } from "../../protocol/host/host-options.ts";
import { VERSION } from "../../version.ts";
import { toPath } from "./documents.ts";

export const Folder = z.object({ uri: z.string(), name: z.string() });

/** The parts of the language-server `initialize` request that the host reads. */
export const InitializeParams = z.object({
	workspaceFolders: z.array(Folder).nullish(),
	initializationOptions: HostOptions.prefault({}),
});
export type InitializeParams = z.infer<typeof InitializeParams>;

const INCREMENTAL = 2;

export const INITIALIZE_RESULT = {
	capabilities: {
		textDocumentSync: { openClose: true, change: INCREMENTAL, save: { includeText: false } },
		workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
	},
	serverInfo: { name: "vitrine-agent-host", version: VERSION },
};

export const DidChangeFolders = z.object({
	event: z.object({ added: z.array(Folder), removed: z.array(Folder) }),
});

/** Only local folders can be read; those of a virtual workspace are left out. */
export function listFolders(folders: readonly z.infer<typeof Folder>[]): readonly string[] {
	return folders.flatMap(({ uri }) => toPath(uri) ?? []);
}

export function changeFolders(now: readonly string[], change: z.infer<typeof DidChangeFolders>): readonly string[] {
	const removed = new Set(listFolders(change.event.removed));
	return [...now.filter((folder) => !removed.has(folder)), ...listFolders(change.event.added)];
}
