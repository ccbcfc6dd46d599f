import { type CheckedFetch, RefusedAddress } from "../../network/fetch-checked.ts";
import { type Said, say } from "../../protocol/say.ts";
import { type Credentials, takeTokens } from "../servers/sign-in/credentials.ts";
import { explainFailure, fail, isCode } from "../servers/sign-in/sign-in-failure.ts";
import {
	allowsPlan,
	CHATGPT,
	describeClient,
	findIssuer,
	isOwnIdToken,
	type KnownClient,
	readIssuedClient,
} from "./plan-facts.ts";

export interface PlanSignInEffects {
	readonly fetch: CheckedFetch;
	/** An address on this machine that leads back to the client. */
	readonly redirect: (state: string) => Promise<string>;
	/** Opens the service in the browser; the query that it came back with, or undefined if it did not. */
	readonly authorize: (state: string, url: string) => Promise<string | undefined>;
	/** Random, and known to nobody else. */
	readonly newState: () => string;
	readonly now: () => number;
}

/** What a sign-in leaves: the credentials, and how the service knows us from now on. */
export interface PlanSignIn {
	readonly credentials: Credentials;
	readonly client: KnownClient;
}

const name = CHATGPT;

/** Signs the user in with a ChatGPT plan. Fails with a sentence; nothing that the service says goes into it. */
export async function signInToPlan(
	baseUrl: string,
	known: KnownClient,
	effects: PlanSignInEffects,
): Promise<PlanSignIn> {
	const issuer = findIssuer(baseUrl);
	if (issuer === undefined) throw fail(say("plan-not-here", { origin: new URL(baseUrl).origin }));
	try {
		return await authorize({ issuer, resource: baseUrl.replace(/\/$/, ""), known }, effects);
	} catch (error) {
		throw explainFailure(error, name);
	}
}

interface Asking {
	readonly issuer: string;
	readonly resource: string;
	readonly known: KnownClient;
}

async function authorize({ issuer, resource, known }: Asking, effects: PlanSignInEffects): Promise<PlanSignIn> {
	const library = await import("@modelcontextprotocol/client");
	const metadata = await findMetadata(issuer, effects.fetch);
	const { clientId, scope, more } = describeClient(known);
	const [state, nonce] = [effects.newState(), effects.newState()];
	const redirect = await effects.redirect(state);
	const { authorizationUrl: url, codeVerifier } = await library.startAuthorization(issuer, {
		...{ metadata, clientInformation: { client_id: clientId }, redirectUrl: redirect, state, scope },
		resource: new URL(resource),
	});
	// The library writes an address with its path; the service compares it as text.
	for (const [key, value] of Object.entries({ nonce, resource, ...more })) url.searchParams.set(key, value);
	const query = new URLSearchParams((await effects.authorize(state, url.href)) ?? "");
	const iss = query.get("iss");
	if (query.size > 0 && (query.get("state") !== state || (iss !== null && iss !== issuer)))
		throw fail(say("sign-in-wrong-answer", { name }));
	const code = query.get("code");
	if (code === null) throw fail(describeRefusal(query.get("error")));
	const issued = readIssuedClient(query, known);
	if (issued === undefined) throw fail(say("sign-in-unexpected", { name }));
	const given = await library.exchangeAuthorization(issuer, {
		...{ metadata, clientInformation: { client_id: issued }, authorizationCode: code, codeVerifier },
		...{ redirectUri: redirect, resource: new URL(resource), fetchFn: effects.fetch },
	});
	if (!isOwnIdToken(given.id_token, { issuer, clientId: issued, nonce, now: effects.now() }))
		throw fail(say("sign-in-wrong-answer", { name }));
	if (!allowsPlan(given.scope)) throw fail(say("plan-not-allowed"));
	const credentials = {
		...{ issuer, tokenEndpoint: metadata.token_endpoint, client: { id: issued }, resource, token: given.access_token },
		...("revocation_endpoint" in metadata &&
			typeof metadata.revocation_endpoint === "string" && { revocationEndpoint: metadata.revocation_endpoint }),
		...takeTokens(given, effects.now(), scope),
	};
	return { credentials, client: { ...known, clientId: issued } };
}

/** Every address that the service names is its own. */
async function findMetadata(issuer: string, fetch: CheckedFetch) {
	const library = await import("@modelcontextprotocol/client");
	const metadata = await library
		.discoverAuthorizationServerMetadata(issuer, { fetchFn: fetch })
		.catch((error: unknown) => {
			if (!(error instanceof library.IssuerMismatchError)) throw error;
			throw new RefusedAddress(new URL(issuer).host, "resource", "it describes another service");
		});
	if (metadata === undefined) throw fail(say("sign-in-unexpected", { name }));
	for (const named of [metadata.authorization_endpoint, metadata.token_endpoint]) {
		const { origin, host } = URL.canParse(named) ? new URL(named) : { origin: "", host: named.slice(0, 200) };
		if (origin !== new URL(issuer).origin) throw new RefusedAddress(host, "address", "another site");
	}
	return metadata;
}

/** The user said no or gave up, or the service refused. */
function describeRefusal(error: string | null): Said {
	const isRefusal = isCode(error) && error !== "access_denied";
	return isRefusal ? say("sign-in-failed", { name, reason: error }) : say("sign-in-ended", { name });
}
