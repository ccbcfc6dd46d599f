import OpenAI from "openai";
import { KEY_PLACE } from "../../../protocol/settings/provider-settings.ts";
import { LOCAL_FIRST_MS } from "../../local-server.ts";
import type { ServerMemory } from "../../memory.ts";
import type { RequestPlace } from "../refusals/failure.ts";
import { withBoundedBody, withReadableRefusal } from "./http.ts";
import { patienceFor } from "./patient-fetch.ts";
import { ignoresProxy } from "./proxy-support.ts";
import type { Secret, SecretSource } from "./secret.ts";

export interface ServerAccess extends SecretSource {
	readonly baseUrl: string;
	/** How the server expects a key. */
	readonly headers: HeaderStyle;
	/** Headers that the user has configured; they replace ours. */
	readonly ownHeaders?: Readonly<Record<string, string>> | undefined;
	readonly now: () => number;
	readonly memory: ServerMemory;
	/** The user's context window setting; 0 if not set. */
	readonly windowSetting: number;
}

/** `anthropic` and `google`: a key in a header of its own, and the version of the API if it wants one. */
export type HeaderStyle = "bearer" | "anthropic" | "google";

export function openClient(access: ServerAccess, secret: Secret | undefined, maxBytes?: number): OpenAI {
	return new OpenAI({
		...splitQuery(access.baseUrl),
		// The library requires a value; without a key it is not sent.
		apiKey: secret?.value ?? "none",
		// Otherwise all of these would be read from the editor's environment.
		adminAPIKey: null,
		organization: null,
		project: null,
		webhookSecret: null,
		maxRetries: 0,
		// Our own watch decides how long a silent server is waited for.
		timeout: 2 * LOCAL_FIRST_MS,
		logLevel: "off",
		// The key only goes to the origin that the turn was sealed with: redirects are not followed.
		fetch: async (url, init) => {
			const headers = headersFor(access, secret);
			const response = await withReadableRefusal(
				await fetch(url, { ...init, ...patienceFor(access.baseUrl), headers, redirect: "manual" }),
			);
			return maxBytes === undefined ? response : withBoundedBody(response, maxBytes);
		},
	});
}

/** Classic Azure addresses end in a query, which belongs behind the path of every request. */
function splitQuery(baseUrl: string): { readonly baseURL: string; readonly defaultQuery: Record<string, string> } {
	const url = new URL(baseUrl);
	const defaultQuery = Object.fromEntries(url.searchParams);
	url.search = "";
	return { baseURL: url.href, defaultQuery };
}

/**
 * All headers of a request. The library's own headers would describe this machine, and add the content of
 * `OPENAI_CUSTOM_HEADERS` for any server.
 */
function headersFor(
	{ headers, ownHeaders = {}, baseUrl }: ServerAccess,
	secret: Secret | undefined,
): Readonly<Record<string, string>> {
	const own = fillHeaders(ownHeaders, secret);
	// The user says where the key belongs.
	const shown = Object.values(ownHeaders).some((value) => value.includes(KEY_PLACE)) ? undefined : secret;
	// Other servers with these APIs take the key in either header.
	const isBearer = headers === "bearer" || !MAKERS.test(new URL(baseUrl).hostname);
	return {
		accept: "application/json",
		"content-type": "application/json",
		"user-agent": "Vitrine",
		...(headers === "anthropic" && { "anthropic-version": isBearer ? COMMON_VERSION : ANTHROPIC_VERSION }),
		...(headers === "anthropic" && shown !== undefined && { "x-api-key": shown.value }),
		...(headers === "google" && shown !== undefined && { "x-goog-api-key": shown.value }),
		...(isBearer && shown !== undefined && { authorization: `Bearer ${shown.value}` }),
		...own,
	};
}

/** The user's headers with the stored key; one that needs a key is left out if there is none. */
function fillHeaders(
	headers: Readonly<Record<string, string>>,
	secret: Secret | undefined,
): Readonly<Record<string, string>> {
	const filled = Object.entries(headers).flatMap(([name, value]) => {
		if (!value.includes(KEY_PLACE)) return [[name.toLowerCase(), value]];
		return secret === undefined ? [] : [[name.toLowerCase(), value.replaceAll(KEY_PLACE, secret.value)]];
	});
	return Object.fromEntries(filled);
}

/** Anthropic's own newest version. It refuses sampling parameters, of which we send none. */
const ANTHROPIC_VERSION = "2026-10-21";
/** What the other servers with this API know. */
const COMMON_VERSION = "2023-06-01";
/** Who refuses a key that stands in a second header. */
const MAKERS = /(?:^|\.)(?:anthropic|googleapis)\.com$/;

export function describePlace(access: ServerAccess, secret: Secret | undefined, model: string): RequestPlace {
	const sent = secret === undefined ? "nothing" : access.auth === "chatgpt" ? "sign-in" : "key";
	return { origin: new URL(access.baseUrl).origin, model, sent, ...WITHOUT_PROXY };
}

/** Node reads the proxy settings once, at start. */
const WITHOUT_PROXY = ignoresProxy(process.versions.node, process.env) ? { withoutProxy: true as const } : {};
