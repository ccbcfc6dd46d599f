import type { Writable } from "node:stream";
import type { ClientPorts } from "../../session/ports/ports.ts";
import { SYSTEM_PORTS } from "../../session/ports/system-ports.ts";
import { NO_DOCUMENTS } from "../../workspace/apply/open-documents.ts";

/** What a client would offer, where there is none. */
export function clientlessPorts(stderr: Writable): Omit<ClientPorts, "ask" | "publish"> {
	const nobody = () => Promise.reject(new Error("There is no editor."));
	return {
		...SYSTEM_PORTS,
		secret: async () => {
			const value = process.env.VITRINE_API_KEY;
			return value === undefined || value === "" ? undefined : { value, account: undefined };
		},
		question: nobody,
		editorModels: { list: nobody, stream: nobody, countTokens: nobody },
		documents: NO_DOCUMENTS,
		waitForDrain: () => undefined,
		processesChanged: () => undefined,
		statusChanged: () => undefined,
		warn: ({ message, fix }) => stderr.write(`${message} ${fix}\n`),
		log: (level, message) => {
			if (level !== "info") stderr.write(`${message}\n`);
		},
	};
}
