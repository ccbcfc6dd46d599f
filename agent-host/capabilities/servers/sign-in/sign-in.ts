import { say } from "../../../protocol/say.ts";
import type { Challenge } from "./authorize-fetch.ts";
import { asClient, type Credentials, takeTokens } from "./credentials.ts";
import { discoverIssuer, type Issuer } from "./discover-issuer.ts";
import { type ConfiguredClient, identifyClient } from "./identify-client.ts";
import type { SignInEffects } from "./sign-in-effects.ts";
import { explainFailure, fail } from "./sign-in-failure.ts";

export interface SignInOptions {
	readonly name: string;
	readonly server: URL;
	readonly configured: ConfiguredClient | undefined;
	readonly challenge: Challenge | undefined;
	readonly known: Credentials | undefined;
}

/** Signs the user in at the service of a server. Fails with a sentence; nothing that a service says goes into it. */
export async function signIn(options: SignInOptions, effects: SignInEffects): Promise<Credentials> {
	const { name, challenge } = options;
	try {
		const service = await discoverIssuer(options.server, challenge ?? {}, effects);
		if (service === undefined) throw fail(say("sign-in-unoffered", { name }));
		return await authorize(service, options, effects);
	} catch (error) {
		throw explainFailure(error, name);
	}
}

async function authorize(
	service: Issuer,
	{ name, configured, challenge, known }: SignInOptions,
	effects: SignInEffects,
): Promise<Credentials> {
	const { metadata, resource } = service;
	const library = await import("@modelcontextprotocol/client");
	const isMore = challenge?.isStepUp && known?.issuer === metadata.issuer;
	const asked = library.computeScopeUnion(isMore ? known.scope : undefined, challenge?.scope);
	const scope = withRefresh(asked ?? service.scopes.join(" "), service);
	const state = effects.newState();
	const identified = await identifyClient(service, { state, scope, configured }, effects);
	if (identified === undefined) throw fail(say("sign-in-no-client", { name }));
	const { client, redirect } = identified;
	const about = { metadata, clientInformation: asClient({ client }), ...(resource !== undefined && { resource }) };
	const started = await library.startAuthorization(metadata.issuer, {
		...{ ...about, redirectUrl: redirect, state },
		...(scope !== undefined && { scope }),
	});
	const query = new URLSearchParams((await effects.authorize(state, started.authorizationUrl.href)) ?? "");
	if (query.size === 0) throw fail(say("sign-in-ended", { name }));
	const iss = query.get("iss");
	if (query.get("state") !== state || !isIssuedBy(service, iss)) {
		throw fail(say("sign-in-wrong-answer", { name }));
	}
	const code = query.get("code");
	if (code === null) throw fail(say("sign-in-ended", { name }));
	const given = await library.exchangeAuthorization(metadata.issuer, {
		...{ ...about, authorizationCode: code, codeVerifier: started.codeVerifier, redirectUri: redirect },
		...(iss !== null && { iss }),
		fetchFn: effects.fetch,
	});
	return {
		...{ issuer: metadata.issuer, tokenEndpoint: metadata.token_endpoint, client, token: given.access_token },
		...("revocation_endpoint" in metadata &&
			typeof metadata.revocation_endpoint === "string" && { revocationEndpoint: metadata.revocation_endpoint }),
		...(metadata.token_endpoint_auth_methods_supported && {
			authMethods: metadata.token_endpoint_auth_methods_supported,
		}),
		...(resource !== undefined && { resource }),
		...takeTokens(given, effects.now(), scope),
	};
}

/** A service says who answers if it can (RFC 9207); the answer of another one is not used. */
function isIssuedBy({ metadata }: Issuer, issuer: string | null): boolean {
	const isSaid = metadata.authorization_response_iss_parameter_supported === true;
	return issuer === null ? !isSaid : issuer === metadata.issuer;
}

/** Asks for a sign-in that can be renewed, where the service has a scope for that. */
function withRefresh(scope: string, { metadata }: Issuer): string | undefined {
	const scopes = scope.split(" ").filter((one) => one !== "");
	const isNamed = metadata.scopes_supported?.includes("offline_access") === true;
	const all = isNamed && !scopes.includes("offline_access") ? [...scopes, "offline_access"] : scopes;
	return all.length === 0 ? undefined : all.join(" ");
}
