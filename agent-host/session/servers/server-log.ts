/** Lines that are kept about one server. */
const MAX_LINES = 100;

/** What happened to servers, for the user: their error output, and what was refused to them. */
export interface ServerLogs {
	readonly note: (server: string, line: string) => void;
	/** `read` gives the error output of the program that runs, or ran last. */
	readonly follow: (server: string, read: () => string) => void;
	readonly read: (server: string) => string;
	/** Why the program of a server that was started last has ended, in a sentence; undefined while it runs. */
	readonly endOf: (server: string) => string | undefined;
	readonly noteEnd: (server: string, why: string) => void;
}

export function createServerLogs(now: () => number): ServerLogs {
	const notes = new Map<string, string[]>();
	const outputs = new Map<string, () => string>();
	const ends = new Map<string, string>();
	const note = (server: string, line: string): void => {
		const lines = notes.get(server) ?? [];
		notes.set(server, [...lines, `[${new Date(now()).toISOString().slice(11, 19)}] ${line}`].slice(-MAX_LINES));
	};
	return {
		note,
		follow: (server, read) => {
			outputs.set(server, read);
			ends.delete(server);
		},
		endOf: (server) => ends.get(server),
		noteEnd: (server, why) => {
			ends.set(server, why);
			note(server, why);
		},
		read: (server) => [...(notes.get(server) ?? []), outputs.get(server)?.() ?? ""].join("\n").trim(),
	};
}
