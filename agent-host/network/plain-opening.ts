/** What becomes of the first bytes of a tunnel. */
export type Judged =
	| { readonly kind: "wait" }
	| { readonly kind: "pass" }
	| { readonly kind: "deny"; readonly reason: string };

/** A first line that goes on beyond this is no request. */
const MAX_LINE = 16_384;
/** How every request of the web begins; what begins otherwise is another protocol. */
const METHOD = /^[A-Za-z][A-Za-z-]{0,30}(?:[ \t]|$)/;

/**
 * Judges what a tunnel carries in the clear. A request of the web does not pass: each one, also a later one, could name any
 * host, and the proxy carries such requests itself, where it sees whom they name. Other protocols, such as SSH, pass.
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
