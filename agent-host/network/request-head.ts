import { parseTarget, sameTarget, type Target, targetText } from "./host-name.ts";

/** The head of a request to the proxy, as Node's strict parser returns it. */
export interface RequestHead {
	readonly method: string;
	readonly url: string;
	/** Names and values alternate, in their original order. */
	readonly rawHeaders: readonly string[];
}

export type ReadHead =
	| { readonly kind: "tunnel"; readonly target: Target }
	/** `path` and `headers` are sent to the server. */
	| { readonly kind: "forward"; readonly target: Target; readonly path: string; readonly headers: readonly string[] }
	| { readonly kind: "bad"; readonly reason: string };

const HTTP_PORT = 80;

/** Reads a CONNECT, or a request with an absolute URL. Requests that name two different hosts are refused. */
export function readHead({ method, url, rawHeaders }: RequestHead): ReadHead {
	const hosts = pairs(rawHeaders).filter(([name]) => name.toLowerCase() === "host");
	if (hosts.length > 1) return reject("The request has more than one Host header.");
	if (method === "CONNECT") {
		const target = parseTarget(url, undefined);
		return target === undefined ? reject("CONNECT needs a valid host and port.") : { kind: "tunnel", target };
	}
	const [, authority, rest = ""] = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(url) ?? [];
	if (authority === undefined)
		return reject("This is a proxy: request http://host/path, or use CONNECT for everything else.");
	const target = parseTarget(authority, HTTP_PORT);
	if (target === undefined) return reject("The URL has no valid host.");
	const said = hosts[0]?.[1];
	const named = said === undefined ? target : parseTarget(said.trim(), HTTP_PORT);
	if (named === undefined || !sameTarget(named, target)) return reject("The Host header does not match the URL.");
	const path = rest.startsWith("/") ? rest : `/${rest}`;
	const framing = has(rawHeaders, "transfer-encoding") ? ["Transfer-Encoding", "chunked"] : [];
	return {
		kind: "forward",
		target,
		path,
		headers: ["Host", hostHeader(target), ...forwardable(rawHeaders), ...framing],
	};
}

/** Headers without the hop-by-hop ones. */
export function forwardable(rawHeaders: readonly string[]): readonly string[] {
	const all = pairs(rawHeaders);
	// Connection lists further hop-by-hop headers, but it must not remove the body's length.
	const named = all
		.filter(([name]) => name.toLowerCase() === "connection")
		.flatMap(([, value]) => value.split(",").map((part) => part.trim().toLowerCase()));
	const dropped = new Set([...BETWEEN_NEIGHBOURS, ...named.filter((name) => name !== "content-length")]);
	return all.filter(([name]) => !dropped.has(name.toLowerCase())).flat();
}

const BETWEEN_NEIGHBOURS = [
	...["connection", "keep-alive", "proxy-connection", "proxy-authorization", "proxy-authenticate"],
	...["te", "trailer", "transfer-encoding", "upgrade", "host", "expect"],
];

function pairs(rawHeaders: readonly string[]): readonly (readonly [name: string, value: string])[] {
	const found: [string, string][] = [];
	for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
		found.push([rawHeaders[index] ?? "", rawHeaders[index + 1] ?? ""]);
	}
	return found;
}

function has(rawHeaders: readonly string[], wanted: string): boolean {
	return pairs(rawHeaders).some(([name]) => name.toLowerCase() === wanted);
}

function hostHeader(target: Target): string {
	return target.port === HTTP_PORT ? targetText(target).replace(/:80$/, "") : targetText(target);
}

function reject(reason: string): ReadHead {
	return { kind: "bad", reason };
}
