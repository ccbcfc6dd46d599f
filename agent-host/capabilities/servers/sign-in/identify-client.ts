import type { Credentials } from "./credentials.ts";
import type { Issuer } from "./discover-issuer.ts";
import type { SignInEffects } from "./sign-in-effects.ts";

type Client = Credentials["client"];

/** Who we are to the service, and where the browser comes back to. */
export interface IdentifiedClient {
	readonly client: Client;
	readonly redirect: string;
}

/** As the user registered us by hand. */
export interface ConfiguredClient {
	readonly clientId: string;
	readonly clientSecret?: string | undefined;
	readonly callbackPort?: number | undefined;
}

export interface IdentifyOptions {
	readonly state: string;
	readonly scope: string | undefined;
	/** As the user registered us by hand. */
	readonly configured: ConfiguredClient | undefined;
}

/**
 * The configured client, or a new registration for each sign-in, since old ones may be forgotten or allow less: with an address of the editor, then, if the
 * service does not take that, with one on this machine. Undefined if the service registers nobody.
 */
export async function identifyClient(
	{ metadata }: Issuer,
	{ state, scope, configured }: IdentifyOptions,
	{ redirect, fetch }: Pick<SignInEffects, "redirect" | "fetch">,
): Promise<IdentifiedClient | undefined> {
	if (configured !== undefined) {
		const { clientId, clientSecret: secret, callbackPort } = configured;
		const address = await redirect(state, callbackPort === undefined ? "editor" : "loopback", callbackPort);
		return { client: { id: clientId, ...(secret && { secret }) }, redirect: address };
	}
	const { registerClient, RegistrationRejectedError } = await import("@modelcontextprotocol/client");
	for (const kind of ["editor", "loopback"] as const) {
		const address = await redirect(state, kind);
		if (metadata.registration_endpoint === undefined) return undefined;
		const registered = await registerClient(metadata.issuer, {
			metadata,
			clientMetadata: {
				client_name: "Vitrine",
				redirect_uris: [address],
				grant_types: ["authorization_code", "refresh_token"],
				response_types: ["code"],
				token_endpoint_auth_method: "none",
				application_type: address.startsWith("https:") ? "web" : "native",
			},
			...(scope !== undefined && { scope }),
			fetchFn: fetch,
		}).catch((error: unknown) => {
			if (error instanceof RegistrationRejectedError) return undefined;
			throw error;
		});
		if (registered === undefined) continue;
		const { client_id: id, client_secret: secret } = registered;
		return { client: { id, ...(secret && { secret }) }, redirect: address };
	}
	return undefined;
}
