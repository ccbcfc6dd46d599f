import type * as vscode from "vscode";
import * as z from "zod";

export const OPENAI_ORIGIN = "https://api.openai.com";
export const ANTHROPIC_ORIGIN = "https://api.anthropic.com";
export const CHATGPT_ORIGIN = "https://chatgpt.com";

/** Identifies a secret: an API key or a sign-in token, and the one origin that it may be sent to. */
export interface Stored {
	readonly kind: "key" | "token";
	readonly origin: string;
}

export interface Secret {
	readonly value: string;
	/** Account of a sign-in. */
	readonly account?: string | undefined;
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
const Token = z.object({ value: z.string(), account: z.string().optional() });

/** Secret storage cannot be listed everywhere, so `state` remembers what is in it. */
export function createKeys(secrets: vscode.SecretStorage, state: vscode.Memento): Keys {
	const name = ({ kind, origin }: Stored) => `vitrine.${kind}:${origin}`;
	const list = () => StoredList.safeParse(state.get(LIST)).data ?? [];
	const without = (what: Stored) => list().filter((other) => name(other) !== name(what));
	return {
		get: async (what) => {
			const text = await secrets.get(name(what));
			if (text === undefined || what.kind === "key") return text === undefined ? undefined : { value: text };
			return readToken(text);
		},
		set: async (what, { value, account }) => {
			await secrets.store(name(what), what.kind === "key" ? value : JSON.stringify({ value, account }));
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

function readToken(text: string): Secret | undefined {
	try {
		return Token.safeParse(JSON.parse(text)).data;
	} catch {
		return undefined;
	}
}
