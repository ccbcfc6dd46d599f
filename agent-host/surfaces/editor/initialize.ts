import * as z from "zod";
import { HostOptions } from "../../protocol/host-options.ts";
import { VERSION } from "../../version.ts";

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
