import type { ChildProcess } from "node:child_process";

export interface Message {
	readonly jsonrpc: "2.0";
	readonly id?: number | string | null;
	readonly method?: string;
	readonly params?: unknown;
	readonly result?: unknown;
	readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** One way to exchange JSON-RPC messages with a process. */
export interface Wire {
	send(message: Message): void;
	/** Bytes as they are. */
	sendBytes(bytes: string | Uint8Array): void;
	/** Closes the way to the host, as a parent that dies does. */
	hangUp(): void;
	listen(receive: (text: string) => void): void;
	/** What came on stdout and belongs to no message. */
	stray(): string;
}

/** The language-server framing on the child's stdin and stdout. */
export function connectStdio(child: ChildProcess): Wire {
	const { stdin, stdout } = child;
	if (!stdin || !stdout) throw new Error("The child has no pipes.");
	// A host that is gone closes its end; the test learns that from `exited`.
	stdin.on("error", () => undefined);
	let reader: FrameReader | undefined;
	return {
		send: (message) => stdin.write(frame(JSON.stringify(message))),
		sendBytes: (bytes) => stdin.write(bytes),
		hangUp: () => stdin.end(),
		listen(receive) {
			reader = createFrameReader(receive);
			stdout.on("data", reader.push);
		},
		stray: () => reader?.stray() ?? "",
	};
}

/** Node's own channel, as the editor uses it. */
export function connectIpc(child: ChildProcess): Wire {
	let stray = "";
	child.stdout?.setEncoding("utf8").on("data", (text: string) => {
		stray += text;
	});
	return {
		send: (message) => {
			// The callback takes the error of a channel that the host has closed; `exited` tells the test.
			if (child.connected) child.send(message, () => undefined);
		},
		sendBytes() {
			throw new Error("There are no bytes to break over ipc.");
		},
		hangUp: () => child.disconnect(),
		listen: (receive) => child.on("message", (message) => receive(JSON.stringify(message))),
		stray: () => stray,
	};
}

export function frame(body: string): string {
	return `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

export interface FrameReader {
	readonly push: (chunk: Buffer) => void;
	/** Bytes so far that belong to no frame. */
	readonly stray: () => string;
}

const HEADER = /^Content-Length: (\d+)(\r\nContent-Type: [^\r\n]+)?$/;

/** Cuts a byte stream into bodies. */
export function createFrameReader(receive: (body: string) => void): FrameReader {
	let chunks: Buffer[] = [];
	let size = 0;
	let needed = 0;
	let stray = "";

	function push(chunk: Buffer): void {
		chunks.push(chunk);
		size += chunk.length;
		if (size < needed) return;
		let buffer = Buffer.concat(chunks);
		for (let end = buffer.indexOf("\r\n\r\n"); end >= 0; end = buffer.indexOf("\r\n\r\n")) {
			const header = HEADER.exec(buffer.toString("utf8", 0, end));
			if (!header) stray += buffer.toString("utf8", 0, end + 4);
			needed = end + 4 + Number(header?.[1] ?? 0);
			if (buffer.length < needed) break;
			if (header) receive(buffer.toString("utf8", end + 4, needed));
			buffer = buffer.subarray(needed);
			needed = 0;
		}
		chunks = [buffer];
		size = buffer.length;
	}

	return {
		push,
		stray() {
			const rest = Buffer.concat(chunks).toString();
			return stray + ("Content-Length: ".startsWith(rest.slice(0, 16)) ? "" : rest);
		},
	};
}
