import type * as vscode from "vscode";
import * as z from "zod";
import type { serverInput } from "../../agent-host/protocol/host/servers.ts";
import type { ParsedParamsOf } from "../../agent-host/protocol/method.ts";

export type AskedInput = ParsedParamsOf<typeof serverInput>;

/** Values that MCP servers need and the user entered, in the editor's secret storage. */
export interface ServerInputs {
	/** The stored value for exactly this place, or what the user enters now; undefined if they do not. */
	readonly give: (asked: AskedInput) => Promise<string | undefined>;
	/** Removes all values of a server, so that they are asked for again; returns how many there were. */
	readonly forget: (server: string) => Promise<number>;
}

const LIST = "vitrine.serverInputs";
const StoredNames = z.array(z.object({ server: z.string(), name: z.string() }));

/** `enter` asks the user. One question at a time: servers start side by side. */
export function createServerInputs(
	secrets: Pick<vscode.SecretStorage, "get" | "store" | "delete">,
	state: Pick<vscode.Memento, "get" | "update">,
	enter: (asked: AskedInput) => Promise<string | undefined>,
): ServerInputs {
	let queue: Promise<unknown> = Promise.resolve();
	const list = () => StoredNames.safeParse(state.get(LIST)).data ?? [];
	const ask = async (asked: AskedInput): Promise<string | undefined> => {
		const name = nameInput(asked);
		const stored = await secrets.get(name);
		if (stored !== undefined) return stored;
		const value = await enter(asked);
		if (value === undefined) return undefined;
		await secrets.store(name, value);
		const others = list().filter((other) => other.name !== name);
		await state.update(LIST, [...others, { server: asked.server, name }]);
		return value;
	};
	return {
		give: (asked) => {
			const given = queue.then(() => ask(asked));
			queue = given.catch(() => undefined);
			return given;
		},
		forget: async (server) => {
			const [mine, others] = [
				list().filter((one) => one.server === server),
				list().filter((one) => one.server !== server),
			];
			for (const { name } of mine) await secrets.delete(name);
			await state.update(LIST, others);
			return mine.length;
		},
	};
}

/** A value belongs to one place: another command, address or file gets none of it. */
function nameInput({ server, place, file = "", input: { id } }: AskedInput): string {
	return `vitrine.serverInput:${JSON.stringify([file, server, place, id])}`;
}
