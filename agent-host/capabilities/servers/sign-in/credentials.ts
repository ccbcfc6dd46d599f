import * as z from "zod";

const Text = z.string().min(1).max(16_384);

/** What a sign-in leaves, in the editor's secret storage: it is sent to nobody but the service that it names. */
const Credentials = z.object({
	/** The service that the user signed in to. */
	issuer: Text,
	tokenEndpoint: Text,
	revocationEndpoint: Text.optional(),
	authMethods: z.array(z.string()).optional(),
	/** The server as the service knows it. */
	resource: Text.optional(),
	client: z.object({ id: Text, secret: Text.optional() }),
	token: Text,
	refreshToken: Text.optional(),
	scope: Text.optional(),
	/** Milliseconds since 1970. */
	endsAt: z.number().optional(),
});
export type Credentials = Readonly<z.infer<typeof Credentials>>;

/** Undefined for what an older or newer release stored in another form: the user signs in again. */
export function parseCredentials(stored: string | undefined): Credentials | undefined {
	try {
		return Credentials.safeParse(JSON.parse(stored ?? "")).data;
	} catch {
		return undefined;
	}
}

/** The part of an answer with tokens that is kept. */
export interface GivenTokens {
	readonly access_token: string;
	readonly refresh_token?: string | undefined;
	readonly expires_in?: number | undefined;
	readonly scope?: string | undefined;
}

/** A service that does not say which scope it granted has granted what was asked for. */
export function takeTokens(given: GivenTokens, now: number, scope: string | undefined): Partial<Credentials> {
	const granted = given.scope || scope;
	return {
		token: given.access_token,
		...(given.refresh_token && { refreshToken: given.refresh_token }),
		...(granted && { scope: granted }),
		...(given.expires_in !== undefined && { endsAt: now + given.expires_in * 1_000 }),
	};
}

/** The service as the library wants to see it for requests to its token endpoint. */
export function asMetadata({ issuer, tokenEndpoint, authMethods }: Credentials) {
	return {
		issuer,
		token_endpoint: tokenEndpoint,
		authorization_endpoint: issuer,
		response_types_supported: ["code"],
		...(authMethods && { token_endpoint_auth_methods_supported: authMethods }),
	};
}

export function asClient({ client: { id, secret } }: Pick<Credentials, "client">) {
	return { client_id: id, ...(secret !== undefined && { client_secret: secret }) };
}
