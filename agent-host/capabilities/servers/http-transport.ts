import type { Transport } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../../protocol/settings/server-settings.ts";
import { limitMessages } from "./limit-messages.ts";
import type { Authorizations } from "./sign-in/authorizations.ts";
import { authorizeFetch, type Fetch } from "./sign-in/authorize-fetch.ts";
import { isLoopback } from "./sign-in/judge-endpoint.ts";

export type ServerAddress = Extract<ServerSettings, { url: string }>;

/** Messages over HTTP. Redirects are not followed, so that headers only go to the address in the settings. */
export async function openHttp(settings: ServerAddress, authorizations: Authorizations): Promise<Transport> {
	const address = new URL(settings.url);
	if (address.protocol !== "https:" && !isLoopback(address.hostname)) {
		throw new Error("Only https:// addresses can be used, except on this machine.");
	}
	const { StreamableHTTPClientTransport, SSEClientTransport } = await import("@modelcontextprotocol/client");
	const send: Fetch = async (target, init) =>
		limitMessages(await fetch(target, { ...init, redirect: "error" }), () => void transport.close());
	const options = {
		requestInit: { headers: settings.headers },
		fetch: signsIn(settings) ? authorizeFetch(readPlace(settings), authorizations, send) : send,
	};
	const Transport = settings.type === "sse" ? SSEClientTransport : StreamableHTTPClientTransport;
	const transport = new Transport(address, options);
	return transport;
}

/** Whether the user can sign in to it: a key in its settings takes the place of that. */
export function signsIn({ headers }: ServerAddress): boolean {
	return !Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}

/** What a sign-in belongs to: the whole address. */
export function readPlace({ url }: ServerAddress): string {
	const place = new URL(url);
	place.hash = "";
	return place.href;
}
