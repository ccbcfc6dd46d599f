import * as z from "zod";
import { isLoopback } from "../servers/sign-in/judge-endpoint.ts";

// What OpenAI describes as signing in with ChatGPT for open-source apps. It is a preview, and so are these values.

/** The name of the service in everything that is said about it. */
export const CHATGPT = "ChatGPT";

const MODELS_ORIGIN = "https://api.openai.com";
const ISSUER = "https://auth.openai.com";
/** Who asks for the first time; the service then issues an id for this installation. */
const FIRST_CLIENT = "dynamic_agent_client";
/** The page that the browser comes back to. */
export const CALLBACK_PATH = "/auth/callback";
/** Without this scope no request may use the plan. */
const PLAN_SCOPE = "chatgpt.tokens.use.direct";
const SCOPE = `openid profile email offline_access resource.invoke ${PLAN_SCOPE}`;

/** Where the user of a model server signs in; undefined if its users cannot. */
export function findIssuer(baseUrl: string): string | undefined {
	const { origin, hostname } = new URL(baseUrl);
	if (origin === MODELS_ORIGIN) return ISSUER;
	// A server on this machine that stands in for OpenAI's signs in its users itself.
	return isLoopback(hostname) ? origin : undefined;
}

/** How we are known to the service; it is no secret, and outlasts a sign-in. */
const KnownClient = z.object({ installation: z.string().min(1).max(200), clientId: z.string().max(500).optional() });
export type KnownClient = Readonly<z.infer<typeof KnownClient>>;

export function parseKnownClient(stored: string | undefined): KnownClient | undefined {
	try {
		return KnownClient.safeParse(JSON.parse(stored ?? "")).data;
	} catch {
		return undefined;
	}
}

/** What goes along with the usual questions of such a sign-in. */
export function describeClient({ installation, clientId }: KnownClient) {
	return {
		clientId: clientId ?? FIRST_CLIENT,
		scope: SCOPE,
		more: clientId === undefined ? { ext_agent_host_id: installation, agent_name_hint: "Vitrine" } : {},
	};
}

/** The id that the service issued, or the one that we had. Undefined if it did not say which. */
export function readIssuedClient(query: URLSearchParams, { clientId }: KnownClient): string | undefined {
	const issued = query.get("client_id");
	if (issued === null) return clientId;
	return /^[\w.:-]{1,200}$/.test(issued) && issued !== FIRST_CLIENT ? issued : undefined;
}

/** A service that does not say what it granted has granted what was asked for. */
export function allowsPlan(scope: string | undefined): boolean {
	return scope === undefined || scope === "" || scope.split(" ").includes(PLAN_SCOPE);
}

const Claims = z.object({
	iss: z.string(),
	aud: z.union([z.string(), z.array(z.string())]),
	exp: z.number(),
	nonce: z.string(),
});

/**
 * Whether an ID token belongs to this sign-in. It comes straight from the service over its own connection, so the
 * signature adds nothing (OpenID Connect Core, 3.1.3.7).
 */
export function isOwnIdToken(
	token: string | undefined,
	{
		issuer,
		clientId,
		nonce,
		now,
	}: Readonly<Record<"issuer" | "clientId" | "nonce", string>> & { readonly now: number },
): boolean {
	try {
		const payload = Buffer.from(token?.split(".")[1] ?? "", "base64url").toString();
		const { iss, aud, exp, nonce: given } = Claims.parse(JSON.parse(payload));
		return [aud].flat().includes(clientId) && iss === issuer && given === nonce && exp * 1_000 > now;
	} catch {
		return false;
	}
}
