import type { Writable } from "node:stream";
import type { ClientPorts } from "../../session/ports/ports.ts";
import { SYSTEM_PORTS } from "../../session/ports/system-ports.ts";
import { NO_DOCUMENTS } from "../../workspace/apply/open-documents.ts";
import { makeVisible } from "../visible.ts";

/**
 * Substitutes for the ports of a client, where there is none. With `servers`, only these origins get the key: a program
 * that chooses a thread chooses the thread's server.
 */
export function clientlessPorts(
	stderr: Writable,
	servers: readonly string[] = [],
): Omit<ClientPorts, "ask" | "publish"> {
	const rejectRequest = () => Promise.reject(new Error("There is no editor."));
	return {
		...SYSTEM_PORTS,
		secret: async ({ origin }) => {
			// Files and secret stores end a key with a line.
			const value = process.env.VITRINE_API_KEY?.trim();
			if (servers.length > 0 && !servers.includes(origin)) return undefined;
			return value === undefined || value === "" ? undefined : { value };
		},
		question: rejectRequest,
		serverInput: rejectRequest,
		signIn: {
			credentials: rejectRequest,
			keepCredentials: rejectRequest,
			redirect: rejectRequest,
			authorize: rejectRequest,
		},
		editorModels: { list: rejectRequest, stream: rejectRequest, countTokens: rejectRequest },
		editor: {
			problems: rejectRequest,
			locate: rejectRequest,
			outline: rejectRequest,
			symbols: rejectRequest,
			hover: rejectRequest,
			actions: rejectRequest,
			rename: rejectRequest,
			tasks: rejectRequest,
		},
		editorTools: { list: rejectRequest, call: rejectRequest },
		documents: NO_DOCUMENTS,
		waitForDrain: () => undefined,
		processesChanged: () => undefined,
		serversChanged: () => undefined,
		statusChanged: () => undefined,
		// Names of files and what programs print may be in them.
		warn: ({ message, fix }) => stderr.write(`${makeVisible(`${message} ${fix}`)}\n`),
		log: (level, message) => {
			if (level !== "info") stderr.write(`${makeVisible(message)}\n`);
		},
	};
}
