/** Lines that are kept about one server. */
const MAX_LINES = 100;

/** What happened to servers, for the user: their error output, and what was refused to them. */
export interface ServerLogs {
	readonly note: (server: string, line: string) => void;
	/** `read` gives the error output of the program that runs, or ran last. */
	readonly follow: (server: string, read: () => string) => void;
	readonly read: (server: string) => string;
}

export function createServerLogs(now: () => number): ServerLogs {
	const notes = new Map<string, string[]>();
	const outputs = new Map<string, () => string>();
	return {
		note: (server, line) => {
			const lines = notes.get(server) ?? [];
			notes.set(server, [...lines, `[${new Date(now()).toISOString().slice(11, 19)}] ${line}`].slice(-MAX_LINES));
		},
		follow: (server, read) => void outputs.set(server, read),
		read: (server) => [...(notes.get(server) ?? []), outputs.get(server)?.() ?? ""].join("\n").trim(),
	};
}
