import * as z from "zod";
import { HostOptions } from "../../protocol/host.ts";
import type { ClientPorts } from "../../session/ports/ports.ts";
import type { Session } from "../../session/session.ts";
import { VERSION } from "../../version.ts";
import { openSession } from "../open-session.ts";
import { pathOf } from "./documents.ts";

const Folder = z.object({ uri: z.string(), name: z.string() });

/** The parts of the language-server `initialize` request that the host reads. */
export const InitializeParams = z.object({
	workspaceFolders: z.array(Folder).nullish(),
	initializationOptions: HostOptions.prefault({}),
});

export const DidChangeFolders = z.object({
	event: z.object({ added: z.array(Folder), removed: z.array(Folder) }),
});

const INCREMENTAL = 2;

export const INITIALIZE_RESULT = {
	capabilities: {
		textDocumentSync: { openClose: true, change: INCREMENTAL, save: false },
		workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
	},
	serverInfo: { name: "vitrine-agent-host", version: VERSION },
};

export function initializeSession(
	params: z.infer<typeof InitializeParams>,
	ports: ClientPorts,
	documents: Map<string, string>,
): Promise<Session> {
	return openSession(
		foldersOf(params.workspaceFolders ?? []),
		params.initializationOptions,
		ports,
		documents,
		undefined,
	);
}

/** Only folders on this machine can be read; those of a virtual workspace are left out. */
export function foldersOf(folders: readonly z.infer<typeof Folder>[]): readonly string[] {
	return folders.flatMap(({ uri }) => pathOf(uri) ?? []);
}

export function changeFolders(now: readonly string[], change: z.infer<typeof DidChangeFolders>): readonly string[] {
	const removed = new Set(foldersOf(change.event.removed));
	return [...now.filter((folder) => !removed.has(folder)), ...foldersOf(change.event.added)];
}
