import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import * as z from "zod";

/** A running program: its end, and what can be done to it. */
export interface Program {
	readonly write: (text: string) => boolean;
	/** `why`: a sentence, if it did something wrong. */
	readonly stop: (why?: string) => void;
	readonly ended: Promise<unknown>;
}

/** Starts the program; what it writes to its standard output goes to `onData`. */
export type StartProgram = (onData: (bytes: Buffer) => void) => Promise<Program>;

/** One message may be this long; a longer line ends the server. */
export const MAX_MESSAGE_MB = 10;
const TOO_LONG = `It wrote a line of more than ${MAX_MESSAGE_MB} MB.`;

/** What JSON-RPC calls a failure that is nobody else's. */
const INTERNAL_ERROR = -32_603;

/** Messages as lines of JSON over a program's standard streams. Lines that are something else are skipped. */
export async function openStdio(start: StartProgram): Promise<Transport> {
	const { deserializeMessage, serializeMessage } = await import("@modelcontextprotocol/client");
	let program: Program | undefined;
	const transport: Transport = {
		start: async () => {
			const lines = splitLines(MAX_MESSAGE_MB * 1024 * 1024, () => program?.stop(TOO_LONG));
			program = await start((bytes) => {
				for (const line of lines(bytes)) {
					const message = parse(line, deserializeMessage);
					if (message !== undefined) transport.onmessage?.(message);
				}
			});
			void program.ended.then(() => transport.onclose?.());
		},
		send: async (message) => {
			if (program?.write(serializeMessage(message)) !== true) throw new Error("The server takes no input.");
		},
		close: async () => {
			program?.stop();
			await program?.ended;
		},
	};
	return transport;
}

/** Servers print banners and warnings where only messages belong. */
function parse(line: string, read: (line: string) => JSONRPCMessage): JSONRPCMessage | undefined {
	if (!line.startsWith("{")) return undefined;
	try {
		return read(line);
	} catch {
		return readFailed(line);
	}
}

/** An answer that breaks the protocol is a failure: nothing would end the wait for another one. */
function readFailed(line: string): JSONRPCMessage | undefined {
	const { data } = Answer.safeParse(parseJson(line));
	if (data === undefined || data.method !== undefined) return undefined;
	const message = "Its answer is not what the Model Context Protocol allows.";
	return { jsonrpc: "2.0", id: data.id, error: { code: INTERNAL_ERROR, message } };
}

const Answer = z.looseObject({ id: z.union([z.string(), z.number()]), method: z.unknown().optional() });

function parseJson(line: string): unknown {
	try {
		return JSON.parse(line);
	} catch {
		return undefined;
	}
}

/** Whole lines as they arrive; `tooLong` when one has no end. */
function splitLines(maxBytes: number, tooLong: () => void): (bytes: Buffer) => readonly string[] {
	let parts: Buffer[] = [];
	let size = 0;
	return (bytes) => {
		const lines: string[] = [];
		let from = 0;
		for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
			lines.push(
				Buffer.concat([...parts, bytes.subarray(from, end)])
					.toString("utf8")
					.trim(),
			);
			parts = [];
			size = 0;
			from = end + 1;
		}
		size += bytes.length - from;
		if (size > maxBytes) {
			parts = [];
			tooLong();
		} else if (from < bytes.length) parts.push(bytes.subarray(from));
		return lines;
	};
}
