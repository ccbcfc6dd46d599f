import type * as vscode from "vscode";

export const OPENAI_ORIGIN = "https://api.openai.com";

/** API keys, in the editor's secret storage, one for each origin they may be sent to. */
export interface Keys {
	readonly get: (origin: string) => Thenable<string | undefined>;
	readonly set: (origin: string, key: string) => Thenable<void>;
	readonly remove: (origin: string) => Thenable<void>;
	readonly onDidChange: vscode.Event<unknown>;
}

export function createKeys(secrets: vscode.SecretStorage): Keys {
	const name = (origin: string) => `vitrine.key:${origin}`;
	return {
		get: (origin) => secrets.get(name(origin)),
		set: (origin, key) => secrets.store(name(origin), key),
		remove: (origin) => secrets.delete(name(origin)),
		onDidChange: secrets.onDidChange,
	};
}
