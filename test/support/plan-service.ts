import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { listen } from "./sign-in-service.ts";

/** An answer in place of the usual one. `never`: none comes. */
export interface Scripted {
	readonly status?: number;
	readonly body?: string;
	readonly headers?: Readonly<Record<string, string>>;
	readonly never?: true;
}

/** A server of models that signs in its users itself, as OpenAI's does with a plan. */
export interface PlanService {
	readonly origin: string;
	readonly baseUrl: string;
	/** What was asked for, as "METHOD /path", with the kind of grant. */
	readonly asked: string[];
	/** What went to the token endpoint, and with the browser. */
	readonly forms: URLSearchParams[];
	/** Tokens that count now. */
	readonly valid: Set<string>;
	/** Every secret that was ever given out. */
	readonly given: Set<string>;
	/** Answers in place of the usual ones, by path; and what is told about the tokens. */
	answers: Readonly<Record<string, Scripted | ((form: URLSearchParams) => Scripted | undefined)>>;
	claims: Readonly<Record<string, unknown>>;
	tokens: Readonly<Record<string, unknown>>;
	/** The page of the sign-in waits for this. */
	gate: Promise<void>;
	/** What the browser comes back with. */
	back: (query: URLSearchParams) => void;
	readonly close: () => void;
}

const CLIENT = "agent_client_7";

export async function startPlanService(modelBaseUrl: () => string): Promise<PlanService> {
	const codes = new Map<string, URLSearchParams>();
	const renewals = new Set<string>();
	let number = 0;
	const { server, origin } = await listen((request, response) => void answer(request, response));
	const service: PlanService = {
		...{ origin, baseUrl: `${origin}/v1`, asked: [], forms: [], valid: new Set(), given: new Set() },
		...{ answers: {}, claims: {}, tokens: {}, back: () => undefined, gate: Promise.resolve() },
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
	const give = (clientId: string, nonce: string | null) => {
		number += 1;
		const [access, refresh] = [`access-canary-${number}-${origin.length}`, `refresh-canary-${number}`];
		service.valid.add(access);
		renewals.add(refresh);
		for (const one of [access, refresh]) service.given.add(one);
		const claims = {
			iss: origin,
			aud: clientId,
			exp: Math.floor(Date.now() / 1_000) + 3_600,
			nonce,
			...service.claims,
		};
		const idToken = `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;
		return {
			...{ access_token: access, refresh_token: refresh, token_type: "Bearer", expires_in: 3_600 },
			...(nonce !== null && { id_token: idToken, scope: "openid chatgpt.tokens.use.direct" }),
			...service.tokens,
		};
	};
	const send = (response: ServerResponse, status: number, body: unknown): void => {
		response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
	};
	const exchange = (form: URLSearchParams): readonly [number, unknown] => {
		if (form.get("grant_type") === "refresh_token") {
			const token = form.get("refresh_token") ?? "";
			// Each counts once; the second time all that came of it is void, as OpenAI does it.
			if (renewals.delete(token)) return [200, give(form.get("client_id") ?? "", null)];
			service.valid.clear();
			return [400, { error: { code: "refresh_token_reused", message: "<script>alert(1)</script>" } }];
		}
		const begun = codes.get(form.get("code") ?? "");
		codes.delete(form.get("code") ?? "");
		const digest = createHash("sha256")
			.update(form.get("code_verifier") ?? "")
			.digest("base64url");
		const isSame = begun?.get("redirect_uri") === form.get("redirect_uri") && form.get("client_id") === CLIENT;
		if (begun === undefined || begun.get("code_challenge") !== digest || !isSame)
			return [400, { error: "invalid_grant" }];
		return [200, give(CLIENT, begun.get("nonce"))];
	};
	async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? "", origin);
		const isModel = url.pathname.startsWith("/v1/");
		const body = isModel ? "" : await text(request);
		const form = body === "" ? url.searchParams : new URLSearchParams(body);
		const grant = form.get("grant_type");
		service.asked.push(`${request.method} ${url.pathname}${grant === null ? "" : ` ${grant}`}`);
		if (!isModel && !url.pathname.startsWith("/.well-known")) service.forms.push(form);
		const scripted = service.answers[url.pathname];
		const own = typeof scripted === "function" ? scripted(form) : scripted;
		if (own?.never) return;
		if (own !== undefined) {
			response
				.writeHead(own.status ?? 200, { "content-type": "application/json", ...own.headers })
				.end(own.body ?? "{}");
			return;
		}
		switch (url.pathname) {
			case "/.well-known/oauth-authorization-server":
				return send(response, 200, {
					...{ issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` },
					...{ revocation_endpoint: `${origin}/revoke`, response_types_supported: ["code"] },
					code_challenge_methods_supported: ["S256"],
				});
			case "/authorize": {
				await service.gate;
				const code = `code-canary-${number}-${codes.size}`;
				codes.set(code, form);
				service.given.add(code);
				const back = new URL(form.get("redirect_uri") ?? "");
				const query = { code, state: form.get("state") ?? "", client_id: CLIENT };
				back.search = new URLSearchParams(query).toString();
				service.back(back.searchParams);
				response.writeHead(302, { location: back.href }).end();
				return;
			}
			case "/token":
				return send(response, ...exchange(form));
			case "/revoke":
				return send(response, 200, {});
			default:
				return isModel ? forward(request, response) : send(response, 404, {});
		}
	}
	/** Models are for those who have signed in. */
	async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const sent = await text(request);
		const token = (request.headers.authorization ?? "").replace("Bearer ", "");
		if (!service.valid.has(token)) {
			return send(response, 401, { error: { code: "token_expired", message: `The token ${token} has expired.` } });
		}
		const refused = sent === "" ? undefined : refuseBody(JSON.parse(sent));
		if (refused !== undefined) return send(response, 400, { error: { code: "invalid_request", message: refused } });
		if (request.url === "/v1/models")
			return send(response, 200, { models: [{ slug: "gpt-6-sol", visibility: "list" }] });
		const answered = await fetch(new URL((request.url ?? "").slice("/v1".length + 1), `${modelBaseUrl()}/`), {
			method: request.method ?? "GET",
			headers: { authorization: request.headers.authorization ?? "", "content-type": "application/json" },
			...(sent === "" ? {} : { body: sent }),
		});
		response.writeHead(answered.status, { "content-type": answered.headers.get("content-type") ?? "" });
		response.end(Buffer.from(await answered.arrayBuffer()));
	}
	return service;
}

/** As OpenAI describes what a plan does not pay for. */
const REFUSED = [
	...["background", "conversation", "max_output_tokens", "max_tool_calls", "metadata", "prompt_cache_retention"],
	...["safety_identifier", "temperature", "top_p", "truncation", "user", "previous_response_id"],
];

function refuseBody(body: Readonly<Record<string, unknown>>): string | undefined {
	const refused = REFUSED.find((field) => field in body);
	if (refused !== undefined) return `Unsupported parameter: ${refused}`;
	if (body.store !== false || body.stream !== true || !Array.isArray(body.input)) return "store, stream or input";
	const { tools = [], input } = body as {
		readonly tools?: readonly { readonly type: string }[];
		readonly input: unknown[];
	};
	if (tools.some(({ type }) => type !== "namespace")) return "Tools must stand in a namespace.";
	return JSON.stringify(input).includes('"role":"system"') ? "system items are not allowed" : undefined;
}
