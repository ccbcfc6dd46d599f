import type * as vscode from "vscode";
import * as z from "zod";

export const OPENAI_ORIGIN = "https://api.openai.com";
export const ANTHROPIC_ORIGIN = "https://api.anthropic.com";

/** Identifies a secret: an API key, or what a sign-in left, and the one origin that it may be sent to. */
export interface Stored {
	readonly kind: "key" | "token";
	readonly origin: string;
}

export interface Secret {
	readonly value: string;
}

/** Keys and sign-ins, in the editor's secret storage. */
export interface Keys {
	readonly get: (what: Stored) => Promise<Secret | undefined>;
	readonly set: (what: Stored, secret: Secret) => Promise<void>;
	readonly remove: (what: Stored) => Promise<void>;
	/** Lists what is stored, without the secrets. */
	readonly list: () => readonly Stored[];
	readonly onDidChange: vscode.Event<unknown>;
}

const LIST = "vitrine.stored";

const StoredList = z.array(z.object({ kind: z.enum(["key", "token"]), origin: z.string() }));

/** Secret storage cannot be listed everywhere, so `state` remembers what is in it. */
export function createKeys(secrets: vscode.SecretStorage, state: vscode.Memento): Keys {
	const name = ({ kind, origin }: Stored) => `vitrine.${kind}:${origin}`;
	const list = () => StoredList.safeParse(state.get(LIST)).data ?? [];
	const without = (what: Stored) => list().filter((other) => name(other) !== name(what));
	return {
		get: async (what) => {
			const text = await secrets.get(name(what));
			return text === undefined ? undefined : { value: text };
		},
		set: async (what, { value }) => {
			await secrets.store(name(what), value);
			await state.update(LIST, [...without(what), what]);
		},
		remove: async (what) => {
			await secrets.delete(name(what));
			await state.update(LIST, without(what));
		},
		list,
		onDidChange: secrets.onDidChange,
	};
}
