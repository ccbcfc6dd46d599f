import { CALLBACK_PATH, CHATGPT, findIssuer, parseKnownClient } from "../capabilities/chatgpt/plan-facts.ts";
import { createPlanTokens } from "../capabilities/chatgpt/plan-tokens.ts";
import { signInToPlan } from "../capabilities/chatgpt/sign-in-to-plan.ts";
import { endSignIn } from "../capabilities/servers/sign-in/end-sign-in.ts";
import { ModelFailure } from "../model/port.ts";
import { createOwnFetch } from "../network/fetch-own.ts";
import { PLAN_PLACE } from "../protocol/host/server-sign-in.ts";
import { say } from "../protocol/say.ts";
import type { Ports } from "./ports/ports.ts";

/** Signs the user in with a ChatGPT plan, and gives its token to requests. What is kept of it is with the client. */
export interface PlanSignIn {
	/** As before, and the tokens of plans. */
	readonly secret: Ports["secret"];
	readonly signIn: (baseUrl: string) => Promise<void>;
	/** False if the user was not signed in. */
	readonly signOut: (origin: string) => Promise<boolean>;
}

export function createPlanSignIn(ports: Pick<Ports, "now" | "newId" | "pause" | "secret" | "signIn">): PlanSignIn {
	const load = async (place: string) => (await ports.signIn.credentials({ place })).value;
	const save = async (place: string, value: string | undefined): Promise<void> => {
		await ports.signIn.keepCredentials({ place, ...(value !== undefined && { value }) });
	};
	const newState = (): string => [ports.newId(), ports.newId()].join("").replaceAll("-", "");
	const fetchFor = (place: string) => createOwnFetch(findIssuer(readOrigin(place)) ?? "");
	const tokens = createPlanTokens({
		...{ load, save, fetchFor, now: ports.now, newId: ports.newId },
		pause: (ms) => ports.pause(ms, new AbortController().signal),
		nameLease: (place) => `lease of ${place}`,
	});
	return {
		secret: async (ask) => {
			if (ask.provider !== "chatgpt") return ports.secret(ask);
			try {
				const value = await tokens.token(PLAN_PLACE + ask.origin, ask.refused);
				return value === undefined ? undefined : { value };
			} catch {
				const host = new URL(findIssuer(ask.origin) ?? ask.origin).host;
				throw new ModelFailure("network", say("sign-in-not-renewed", { host }), { retryable: true });
			}
		},
		async signIn(baseUrl) {
			const place = PLAN_PLACE + new URL(baseUrl).origin;
			const known = parseKnownClient(await load(`client of ${place}`)) ?? { installation: newState() };
			const { credentials, client } = await signInToPlan(baseUrl, known, {
				...{ fetch: fetchFor(place), newState, now: ports.now },
				redirect: async (state) =>
					(await ports.signIn.redirect({ state, kind: "loopback", path: CALLBACK_PATH })).address,
				authorize: async (state, url) =>
					(await ports.signIn.authorize({ state, server: CHATGPT, url, plan: "chatgpt" })).query,
			}).catch(async (error: unknown) => {
				// An id that the service has forgotten must not stand in the way of the next attempt.
				await save(`client of ${place}`, JSON.stringify({ installation: known.installation }));
				throw error;
			});
			await save(`client of ${place}`, JSON.stringify(client));
			await tokens.save(place, credentials);
		},
		async signOut(origin) {
			const place = PLAN_PLACE + origin;
			const known = await tokens.read(place);
			// Also what an older release stored in another form.
			await tokens.save(place, undefined);
			if (known === undefined) return false;
			await endSignIn(known, fetchFor(place));
			return true;
		},
	};
}

function readOrigin(place: string): string {
	return place.slice(PLAN_PLACE.length);
}
