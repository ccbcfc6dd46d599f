import type { Judged } from "../../../network/fetch-checked.ts";
import { parseHost } from "../../../network/host-name.ts";
import { isPlainlyPrivate } from "../../../network/host-rules.ts";

/**
 * Whether an address that an MCP server, or the service for signing in to it, names may be used. The user named the
 * server, so its own host may be private, and a server on this machine may name others here; else only public hosts.
 */
export function judgeEndpoint(url: URL, server: URL): Judged {
	const host = parseHost(url.hostname);
	if (host === undefined || url.username !== "" || url.password !== "") return refuse("not a usable address");
	const isHere = isLoopback(server.hostname) && isLoopback(url.hostname);
	if (url.protocol !== "https:" && !(isHere && url.protocol === "http:")) return refuse("not an https:// address");
	if (isHere || url.hostname === server.hostname) return { kind: "own" };
	return isPlainlyPrivate(host) ? refuse("a private address") : { kind: "public" };
}

function refuse(reason: string): Judged {
	return { kind: "refused", reason };
}

export function isLoopback(hostname: string): boolean {
	return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
