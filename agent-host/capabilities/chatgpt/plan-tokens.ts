import type { CheckedFetch } from "../../network/fetch-checked.ts";
import { type Authorizations, createAuthorizations } from "../servers/sign-in/authorizations.ts";
import { createLease, type LeaseEffects } from "./renewal-lease.ts";

/** A token that ends sooner than this is renewed before it is sent. */
const RENEW_MS = 5 * 60_000;

export interface PlanTokensEffects extends LeaseEffects {
	/** For the service that the user signed in to. */
	readonly fetchFor: (place: string) => CheckedFetch;
	/** Where the lease of a place is kept. */
	readonly nameLease: (place: string) => string;
}

/** The token of a plan to send now. */
export interface PlanTokens extends Pick<Authorizations, "read" | "save"> {
	/** Undefined if the user is not signed in, or the sign-in is over. Fails if it could not be renewed this time. */
	readonly token: (place: string, refused?: string) => Promise<string | undefined>;
}

export function createPlanTokens(effects: PlanTokensEffects): PlanTokens {
	const lease = createLease(effects);
	const { read, save, renew } = createAuthorizations({
		...effects,
		fetchFor: (place) => withPlainCodes(effects.fetchFor(place)),
		exclusively: (place, work) => lease(effects.nameLease(place), work),
	});
	return {
		...{ read, save },
		token: async (place, refused) => {
			// Another window may have signed in or out.
			const stored = await read(place);
			if (stored === undefined) return undefined;
			if (refused !== undefined) return renew(place, refused);
			const left = (stored.endsAt ?? Number.POSITIVE_INFINITY) - effects.now();
			if (left > RENEW_MS || (stored.refreshToken === undefined && left > 0)) return stored.token;
			return renew(place, stored.token).catch((error: unknown) => {
				if (left > 0) return stored.token;
				throw error;
			});
		},
	};
}

/** OpenAI writes the code of a refusal into an object; the library expects it as text (RFC 6749). */
function withPlainCodes(fetch: CheckedFetch): CheckedFetch {
	return async (target, init) => {
		const response = await fetch(target, init);
		if (response.ok) return response;
		const { status } = response;
		const text = await response.text();
		try {
			const { code } = Object(Object(JSON.parse(text)).error);
			if (typeof code === "string") return Response.json({ error: code }, { status });
		} catch {
			// Not JSON: the library says so.
		}
		return new Response(text, { status, headers: response.headers });
	};
}
