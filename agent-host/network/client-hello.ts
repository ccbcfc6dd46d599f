import { hostText, parseHost, type Target } from "./host-name.ts";
import type { HostRule } from "./host-rules.ts";

/** The first bytes of a connection: TLS with a server name, TLS without one, something else, or not enough yet. */
export type Opening =
	| { readonly state: "more" }
	| { readonly state: "other" }
	| { readonly state: "hello"; readonly serverName: string | undefined; readonly hidesName?: true };

/** The first TLS message is a few kilobytes at most; anything longer is something else. */
export const MAX_HELLO = 32_768;

/**
 * Checks that the content of a tunnel is meant for the host it was opened to: `wait` for more bytes, `pass`, or a
 * reason to refuse. A rule with a port may be meant for another protocol; the web's ports carry only TLS.
 */
export function judgeOpening(bytes: Uint8Array, target: Target, rule: HostRule): Judged {
	const { host } = target;
	const opening = readOpening(bytes);
	switch (opening.state) {
		case "more":
			return WAIT;
		case "other":
			return carriesTlsOnly(target, rule) ? { kind: "deny", reason: "the data is not TLS" } : judgePlain(bytes);
		case "hello": {
			const { serverName, hidesName } = opening;
			// The visible name is a decoy: the real one is encrypted.
			if (hidesName) return { kind: "deny", reason: "TLS hides the server name (ECH)" };
			if (serverName === undefined) {
				return host.kind === "address" ? PASS : { kind: "deny", reason: "TLS has no server name" };
			}
			const named = parseHost(serverName);
			if (named !== undefined && hostText(named) === hostText(host)) return PASS;
			return { kind: "deny", reason: "TLS has a different server name" };
		}
	}
}

export function carriesTlsOnly({ port }: Target, { ports }: HostRule): boolean {
	return ports?.length !== 1 || port === TLS_PORT;
}

const WAIT: Judged = { kind: "wait" };
const PASS: Judged = { kind: "pass" };
const TLS_PORT = 443;

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const RECORD_HEAD = 5;
const MESSAGE_HEAD = 4;
const MAX_RECORD = 16_384;
const SERVER_NAME = 0;
/** Encrypted Client Hello, and its predecessor, the encrypted server name. */
const ENCRYPTED_HELLOS: readonly number[] = [0xfe0d, 0xffce];

/** Reads the unencrypted server name, however its bytes are split into packets and records. */
export function readOpening(bytes: Uint8Array): Opening {
	const joined = joinRecords(bytes);
	if (joined === undefined) return OTHER;
	const { message, isCut } = joined;
	const more = isCut && bytes.length < MAX_HELLO ? MORE : OTHER;
	if (message.length > 0 && message[0] !== CLIENT_HELLO) return OTHER;
	if (message.length < MESSAGE_HEAD) return more;
	const length = number(message, 1, 3);
	if (length > MAX_HELLO) return OTHER;
	if (message.length < MESSAGE_HEAD + length) return more;
	return readHello(message.subarray(MESSAGE_HEAD, MESSAGE_HEAD + length));
}

const MORE: Opening = { state: "more" };
const OTHER: Opening = { state: "other" };

/** The content of the first records, up to the first incomplete one. */
function joinRecords(bytes: Uint8Array): { readonly message: Uint8Array; readonly isCut: boolean } | undefined {
	const parts: Uint8Array[] = [];
	let at = 0;
	while (at < bytes.length) {
		if (bytes[at] !== HANDSHAKE_RECORD || (at + 1 < bytes.length && bytes[at + 1] !== 3)) {
			return at === 0 ? undefined : { message: Buffer.concat(parts), isCut: false };
		}
		if (bytes.length < at + RECORD_HEAD) break;
		const length = number(bytes, at + 3, 2);
		if (length === 0 || length > MAX_RECORD) return undefined;
		parts.push(bytes.subarray(at + RECORD_HEAD, at + RECORD_HEAD + length));
		at += RECORD_HEAD + length;
	}
	return { message: Buffer.concat(parts), isCut: true };
}

function readHello(body: Uint8Array): Opening {
	const reader = createReader(body);
	// Version and random, then session, cipher suites and compressions, each with a length prefix.
	reader.take(34);
	for (const size of [1, 2, 1]) reader.vector(size);
	const extensions = createReader(reader.isAtEnd() ? new Uint8Array() : reader.vector(2));
	let serverName: string | undefined;
	let hidesName: true | undefined;
	while (!extensions.isAtEnd()) {
		const kind = number(extensions.take(2), 0, 2);
		const data = extensions.vector(2);
		if (ENCRYPTED_HELLOS.includes(kind)) hidesName = true;
		if (kind !== SERVER_NAME) continue;
		// Two names are ambiguous: another reader may take the other one.
		const names = readNames(data);
		if (serverName !== undefined || names.length !== 1) return OTHER;
		serverName = names[0];
	}
	return reader.isBroken() || extensions.isBroken()
		? OTHER
		: { state: "hello", serverName, ...(hidesName ? { hidesName } : {}) };
}

function readNames(data: Uint8Array): readonly string[] {
	const list = createReader(createReader(data).vector(2));
	const names: string[] = [];
	while (!list.isAtEnd()) {
		const kind = number(list.take(1), 0, 1);
		const name = list.vector(2);
		if (kind !== 0 || list.isBroken()) return [];
		names.push(Buffer.from(name).toString("latin1"));
	}
	return names;
}

/** Reads bytes from the front; after a read beyond the end it is broken and stays at its end. */
function createReader(bytes: Uint8Array) {
	let at = 0;
	let broken = false;
	const take = (length: number): Uint8Array => {
		if (at + length > bytes.length) {
			broken = true;
			at = bytes.length;
			return new Uint8Array();
		}
		at += length;
		return bytes.subarray(at - length, at);
	};
	return {
		take,
		vector: (size: number): Uint8Array => take(number(take(size), 0, size)),
		isAtEnd: () => at >= bytes.length,
		isBroken: () => broken,
	};
}

function number(bytes: Uint8Array, at: number, size: number): number {
	let value = 0;
	for (let index = at; index < at + size; index += 1) value = value * 256 + (bytes[index] ?? 0);
	return value;
}

/** The decision about the first bytes of a tunnel. */
export type Judged =
	| { readonly kind: "wait" }
	| { readonly kind: "pass" }
	| { readonly kind: "deny"; readonly reason: string };

/** A longer first line is not a request. */
const MAX_LINE = 16_384;
/** How every HTTP request begins; anything else is another protocol. */
const METHOD = /^[A-Za-z][A-Za-z-]{0,30}(?:[ \t]|$)/;

/**
 * Checks unencrypted content of a tunnel. HTTP requests are refused: each one, including later ones, could name any
 * host, and the proxy handles such requests itself, where it sees the host. Other protocols, such as SSH, pass.
 */
export function judgePlain(bytes: Uint8Array): Judged {
	const text = Buffer.from(bytes.subarray(0, MAX_LINE))
		.toString("latin1")
		.replace(/^[\r\n]+/, "");
	const isWhole = bytes.length >= MAX_LINE;
	if (text === "") return isWhole ? DENIED : { kind: "wait" };
	if (!METHOD.test(text)) return { kind: "pass" };
	const [line = "", ...rest] = text.split(/[\r\n\0]/);
	if (/[ \t]HTTP\//i.test(line)) return DENIED;
	return rest.length > 0 || isWhole ? { kind: "pass" } : { kind: "wait" };
}

const DENIED: Judged = { kind: "deny", reason: "plain HTTP in a tunnel; use an http:// address without CONNECT" };
