import type { Server } from "../../capabilities/servers/server.ts";
import { hideSecrets } from "./fill-server.ts";

/** Lines that are kept about one server. */
const MAX_LINES = 100;

/** Files of several folders may define one of the same name. */
type NamedServer = Pick<Server, "name"> & { readonly file?: Pick<NonNullable<Server["file"]>, "path"> };

/** What happened to servers, for the user: their error output, and what was refused to them. */
export interface ServerLogs {
	readonly note: (server: NamedServer, line: string) => void;
	/** `read` gives the error output of the program that runs, or ran last. */
	readonly follow: (server: NamedServer, read: () => string) => void;
	readonly read: (server: NamedServer) => string;
	/** Why the program of a server that was started last has ended, in a sentence; undefined while it runs. */
	readonly endOf: (server: NamedServer) => string | undefined;
	readonly noteEnd: (server: NamedServer, why: string) => void;
	/** Values that it was given, and that nobody may read. */
	readonly keepSecret: (server: NamedServer, secrets: readonly string[]) => void;
	/** What a library or the server says about a failure, without them. */
	readonly hide: (server: NamedServer, text: string) => string;
}

export function createServerLogs(now: () => number): ServerLogs {
	const notes = new Map<string, string[]>();
	const outputs = new Map<string, () => string>();
	const ends = new Map<string, string>();
	const given = new Map<string, readonly string[]>();
	const note = (server: NamedServer, line: string): void => {
		const lines = notes.get(keyOf(server)) ?? [];
		notes.set(keyOf(server), [...lines, `[${new Date(now()).toISOString().slice(11, 19)}] ${line}`].slice(-MAX_LINES));
	};
	return {
		note,
		follow: (server, read) => {
			outputs.set(keyOf(server), read);
			ends.delete(keyOf(server));
		},
		endOf: (server) => ends.get(keyOf(server)),
		noteEnd: (server, why) => {
			ends.set(keyOf(server), why);
			note(server, why);
		},
		keepSecret: (server, secrets) => void given.set(keyOf(server), secrets),
		hide: (server, text) => hideSecrets(text, given.get(keyOf(server)) ?? []),
		read: (server) => [...(notes.get(keyOf(server)) ?? []), outputs.get(keyOf(server))?.() ?? ""].join("\n").trim(),
	};
}

function keyOf({ name, file }: NamedServer): string {
	return JSON.stringify([name, file?.path]);
}
