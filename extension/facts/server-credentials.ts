import type * as vscode from "vscode";

/** What sign-ins to MCP servers leave, in the editor's secret storage, by the server's whole address. */
export interface ServerCredentials {
	readonly get: (place: string) => Promise<string | undefined>;
	/** Without a value it is removed. */
	readonly keep: (place: string, value: string | undefined) => Promise<void>;
}

export function createServerCredentials(
	secrets: Pick<vscode.SecretStorage, "get" | "store" | "delete">,
): ServerCredentials {
	const nameOf = (place: string): string => `vitrine.serverCredentials:${place}`;
	return {
		get: async (place) => secrets.get(nameOf(place)),
		keep: async (place, value) => {
			if (value === undefined) await secrets.delete(nameOf(place));
			else await secrets.store(nameOf(place), value);
		},
	};
}
