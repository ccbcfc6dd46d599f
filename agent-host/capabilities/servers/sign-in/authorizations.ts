import type { CheckedFetch } from "../../../network/fetch-checked.ts";
import { asClient, asMetadata, type Credentials, parseCredentials, takeTokens } from "./credentials.ts";

/** A token that ends sooner than this is renewed before it is sent. */
const RENEW_MS = 30_000;
/** Answers of a service that mean: this sign-in is over. */
const OVER: readonly string[] = [
	...["invalid_grant", "invalid_client", "unauthorized_client"],
	// OpenAI's own.
	...["refresh_token_expired", "refresh_token_reused", "refresh_token_invalidated"],
];

export interface AuthorizationEffects {
	/** What the client keeps for a server's address, as a secret; undefined if nothing. */
	readonly load: (place: string) => Promise<string | undefined>;
	/** Without a value it is removed. */
	readonly save: (place: string, value: string | undefined) => Promise<void>;
	/** For the service that the user of this server signed in to. */
	readonly fetchFor: (place: string) => CheckedFetch;
	readonly now: () => number;
	/** Lets one window at a time renew what all of them use. */
	readonly exclusively?: <T>(place: string, work: () => Promise<T>) => Promise<T>;
}

/** Who the user is signed in as at servers, by their whole addresses: no token goes to any other. */
export interface Authorizations {
	/** The token to send, renewed if it is about to end; undefined if the user is not signed in. */
	readonly token: (place: string) => Promise<string | undefined>;
	/** The token to send after `refused` was refused; undefined if the user has to sign in. */
	readonly renew: (place: string, refused: string | undefined) => Promise<string | undefined>;
	readonly read: (place: string) => Promise<Credentials | undefined>;
	readonly save: (place: string, credentials: Credentials | undefined) => Promise<void>;
	/** As far as it is known without asking the client. */
	readonly isSignedIn: (place: string) => boolean;
}

export function createAuthorizations(effects: AuthorizationEffects): Authorizations {
	/** Undefined: not signed in, as far as is known. */
	const known = new Map<string, Credentials | undefined>();
	const renewing = new Map<string, Promise<string | undefined>>();
	const read = async (place: string): Promise<Credentials | undefined> => {
		const found = parseCredentials(await effects.load(place).catch(() => undefined));
		known.set(place, found);
		return found;
	};
	const save = async (place: string, credentials: Credentials | undefined): Promise<void> => {
		known.set(place, credentials);
		await effects.save(place, credentials && JSON.stringify(credentials));
	};
	const renewNow = async (place: string, refused: string | undefined): Promise<string | undefined> => {
		const stored = await read(place);
		// Another window has signed in, or has renewed it.
		if (stored?.token !== refused || stored === undefined) return stored?.token;
		return effects.exclusively === undefined
			? renewStored(place, stored)
			: effects.exclusively(place, async () => {
					const latest = await read(place);
					return latest?.token === refused && latest !== undefined ? renewStored(place, latest) : latest?.token;
				});
	};
	const renewStored = async (place: string, stored: Credentials): Promise<string | undefined> => {
		const refused = stored.token;
		const renewed = await refresh(stored, effects.fetchFor(place), effects.now());
		const latest = renewed ?? (await read(place));
		const isOver = latest?.token === refused;
		if (isOver || renewed !== undefined) await save(place, renewed);
		return isOver ? undefined : latest?.token;
	};
	/** One at a time: a service takes a renewal only once. */
	const renew: Authorizations["renew"] = (place, refused) => {
		const running =
			renewing.get(place) ??
			renewNow(place, refused).finally(() => {
				renewing.delete(place);
			});
		renewing.set(place, running);
		return running;
	};
	return {
		...{ read, save, renew, isSignedIn: (place) => known.get(place) !== undefined },
		token: async (place) => {
			const stored = known.has(place) ? known.get(place) : await read(place);
			if (stored === undefined) return undefined;
			const { token, refreshToken, endsAt = Number.POSITIVE_INFINITY } = stored;
			if (refreshToken === undefined || endsAt - effects.now() > RENEW_MS) return token;
			return (await renew(place, token)) ?? token;
		},
	};
}

/** Undefined if the sign-in is over. What the service says in its errors is shown nowhere. */
async function refresh(known: Credentials, fetchFn: CheckedFetch, now: number): Promise<Credentials | undefined> {
	if (known.refreshToken === undefined) return undefined;
	const { refreshAuthorization, OAuthError } = await import("@modelcontextprotocol/client");
	try {
		const given = await refreshAuthorization(known.issuer, {
			...{ metadata: asMetadata(known), clientInformation: asClient(known), refreshToken: known.refreshToken, fetchFn },
			...(known.resource !== undefined && { resource: known.resource }),
		});
		const { endsAt: _, ...rest } = known;
		return { ...rest, ...takeTokens(given, now, known.scope) };
	} catch (error) {
		if (error instanceof OAuthError && OVER.includes(error.code)) return undefined;
		throw new Error(`The sign-in could not be renewed: ${new URL(known.tokenEndpoint).host} did not do it.`);
	}
}
