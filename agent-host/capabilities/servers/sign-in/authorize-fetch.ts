import type { Authorizations } from "./authorizations.ts";

/** What a server said when it refused a request. */
export interface Challenge {
	/** Where it describes how to sign in. */
	readonly metadataUrl?: string;
	/** What the sign-in has to allow. */
	readonly scope?: string;
	/** Signed in, but not for this. */
	readonly isStepUp: boolean;
}

/** A server that wants to know who the user is. */
export class SignInNeeded extends Error {
	readonly challenge: Challenge;

	constructor(challenge: Challenge) {
		super(challenge.isStepUp ? "Sign in again to allow it more." : "Sign in to use it.");
		this.challenge = challenge;
	}
}

export type Fetch = (target: string | URL, init?: RequestInit) => Promise<Response>;

const MAX_SCOPE_CHARS = 2_000;

/** What another window left may be refused, too. */
const MAX_RENEWALS = 2;

/** Sends the user's token to the address that it was given for, and renews it if it is refused. */
export function authorizeFetch(place: string, { token, renew }: Authorizations, send: Fetch): Fetch {
	const { origin } = new URL(place);
	return async (target, init) => {
		if (new URL(target).origin !== origin) return send(target, init);
		let given = await token(place);
		let response = await send(target, withToken(init, given));
		for (let renewals = 0; response.status === 401 && renewals < MAX_RENEWALS; renewals += 1) {
			given = await renew(place, given);
			if (given === undefined) break;
			await response.body?.cancel();
			response = await send(target, withToken(init, given));
		}
		const challenge = await readChallenge(response);
		if (challenge === undefined) return response;
		await response.body?.cancel();
		throw new SignInNeeded(challenge);
	};
}

function withToken(init: RequestInit | undefined, token: string | undefined): RequestInit {
	const headers = new Headers(init?.headers);
	if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
	return { ...init, headers };
}

async function readChallenge(response: Response): Promise<Challenge | undefined> {
	if (response.status !== 401 && response.status !== 403) return undefined;
	const { extractWWWAuthenticateParams } = await import("@modelcontextprotocol/client");
	const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
	const isStepUp = response.status === 403;
	if (isStepUp && error !== "insufficient_scope") return undefined;
	return {
		isStepUp,
		...(resourceMetadataUrl && { metadataUrl: resourceMetadataUrl.href }),
		...(scope && { scope: scope.slice(0, MAX_SCOPE_CHARS) }),
	};
}
