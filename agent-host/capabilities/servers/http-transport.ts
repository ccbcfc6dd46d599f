import type { Transport } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../../protocol/settings/server-settings.ts";

type Address = Extract<ServerSettings, { url: string }>;

/** Messages over HTTP. Redirects are not followed, so that headers only go to the address in the settings. */
export async function openHttp({ url, type, headers }: Address): Promise<Transport> {
	const address = new URL(url);
	if (address.protocol !== "https:" && !isLoopback(address.hostname)) {
		throw new Error("Only https:// addresses can be used, except on this machine.");
	}
	const { StreamableHTTPClientTransport, SSEClientTransport } = await import("@modelcontextprotocol/client");
	const options = {
		requestInit: { headers },
		fetch: (target: string | URL, init?: RequestInit) => fetch(target, { ...init, redirect: "error" as const }),
	};
	return type === "sse"
		? new SSEClientTransport(address, options)
		: new StreamableHTTPClientTransport(address, options);
}

function isLoopback(hostname: string): boolean {
	return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
