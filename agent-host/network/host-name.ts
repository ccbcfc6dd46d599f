import { domainToASCII, domainToUnicode } from "node:url";
import { type Address, parseAddress } from "./addresses.ts";

/** The target of a connection: a normalized name, or an address. */
export type Host =
	| { readonly kind: "name"; readonly name: string }
	| { readonly kind: "address"; readonly address: Address; readonly text: string };

const MAX_NAME = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Normalizes a host name: lower case, punycode, without the trailing dot. Returns undefined for anything that two
 * programs could read differently (an address in another form, an escape, a NUL, a user name).
 */
export function parseHost(text: string): Host | undefined {
	if (text === "" || text.length > MAX_NAME + 1 || UNSAFE.test(text)) return undefined;
	const bracketed = /^\[(.+)\]$/.exec(text)?.[1];
	const address = parseAddress(bracketed ?? text);
	if (address !== undefined) {
		const isV6 = address.length === 16;
		return isV6 === (bracketed !== undefined) ? { kind: "address", address, text: text.toLowerCase() } : undefined;
	}
	if (bracketed !== undefined || text.includes(":")) return undefined;
	const name = domainToASCII(text.endsWith(".") ? text.slice(0, -1) : text);
	return isName(name) ? { kind: "name", name } : undefined;
}

// Characters with a meaning in URLs, invisible ones, and lookalikes of dots.
const UNSAFE = /[\p{C}\p{Z}%@/\\?#<>^|`{}"'!$&()*+,;=~\u3002\uff0e\uff61]/u;

function isName(name: string): boolean {
	const labels = name.split(".");
	// A numeric last label makes the whole name an address, in one of its many forms.
	const isNumeric = /^(?:\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? "");
	return name.length <= MAX_NAME && !isNumeric && labels.every((label) => LABEL.test(label));
}

export interface Target {
	readonly host: Host;
	readonly port: number;
}

/** Reads `host:port`; the port is optional if there is a default. */
export function parseTarget(text: string, defaultPort: number | undefined): Target | undefined {
	const [, written = "", digits] = /^(\[[^\]]*\]|[^:]*)(?::([1-9]\d{0,4}))?$/.exec(text) ?? [];
	const host = parseHost(written);
	const port = digits === undefined ? defaultPort : Number(digits);
	return host === undefined || port === undefined || port > 65_535 ? undefined : { host, port };
}

export function hostText(host: Host): string {
	return host.kind === "name" ? host.name : host.text;
}

/** A punycode name in its Unicode letters; undefined if both are the same. */
export function toUnicodeName(host: Host): string | undefined {
	const letters = host.kind === "name" ? domainToUnicode(host.name) : "";
	return letters === "" || letters === hostText(host) ? undefined : letters;
}

export function targetText({ host, port }: Target): string {
	return `${hostText(host)}:${port}`;
}

export function sameTarget(one: Target, other: Target): boolean {
	return targetText(one) === targetText(other);
}
