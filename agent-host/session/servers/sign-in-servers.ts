import { readPlace, type ServerAddress, signsIn } from "../../capabilities/servers/http-transport.ts";
import type { KnownServer, Server } from "../../capabilities/servers/server.ts";
import { type Authorizations, createAuthorizations } from "../../capabilities/servers/sign-in/authorizations.ts";
import type { Challenge } from "../../capabilities/servers/sign-in/authorize-fetch.ts";
import { endSignIn } from "../../capabilities/servers/sign-in/end-sign-in.ts";
import { judgeEndpoint } from "../../capabilities/servers/sign-in/judge-endpoint.ts";
import { signIn } from "../../capabilities/servers/sign-in/sign-in.ts";
import { createCheckedFetch, type Judged } from "../../network/fetch-checked.ts";
import { SYSTEM_NETWORK } from "../../network/network-ports.ts";
import type { Policy } from "../../permissions/policy/policy.ts";
import { findBeyondLimits } from "../../permissions/resolve/limit-servers.ts";
import { HostError } from "../../protocol/errors.ts";
import { say } from "../../protocol/say.ts";
import type { Ports } from "../ports/ports.ts";
import { type FillWith, fillServer } from "./fill-server.ts";

export interface SignInServersOptions {
	readonly ports: Pick<Ports, "now" | "newId" | "signIn">;
	readonly fillWith: () => FillWith;
	readonly policy: () => Promise<Policy>;
}

/** Signs the user in to servers and out again. What is kept of it is with the client. */
export interface SignInServers {
	readonly authorizations: Authorizations;
	readonly signIn: (server: Server, known: KnownServer | undefined) => Promise<void>;
	/** False if the user was not signed in. */
	readonly signOut: (server: Server) => Promise<boolean>;
}

export function createSignInServers({ ports, fillWith, policy }: SignInServersOptions): SignInServers {
	const fetchFor = (place: string, limits?: Policy) => createCheckedFetch(judgeFor(place, limits), SYSTEM_NETWORK);
	const authorizations = createAuthorizations({
		now: ports.now,
		load: async (place) => (await ports.signIn.credentials({ place })).value,
		save: async (place, value) => {
			await ports.signIn.keepCredentials({ place, ...(value !== undefined && { value }) });
		},
		fetchFor: (place) => async (target, init) => fetchFor(place, await policy())(target, init),
	});
	const findAddress = async (server: Server): Promise<ServerAddress> => {
		const { settings } = await fillServer(server, fillWith());
		if ("url" in settings && signsIn(settings)) return settings;
		throw new HostError("sign-in-failed", say("sign-in-unused", { name: server.name }));
	};
	return {
		authorizations,
		async signIn(server, known) {
			const { name } = server;
			const settings = await findAddress(server);
			const place = readPlace(settings);
			const limits = await policy();
			const credentials = await signIn(
				{
					...{ name, server: new URL(place), configured: settings.oauth, challenge: readChallenge(known) },
					known: await authorizations.read(place),
				},
				{
					fetch: fetchFor(place, limits),
					judge: judgeFor(place, limits),
					redirect: async (state, kind, port) =>
						(await ports.signIn.redirect({ state, kind, ...(port !== undefined && { port }) })).address,
					authorize: async (state, url) => (await ports.signIn.authorize({ state, server: name, url })).query,
					newState: () => [ports.newId(), ports.newId()].join("").replaceAll("-", ""),
					now: ports.now,
				},
			);
			await authorizations.save(place, credentials);
		},
		async signOut(server) {
			const place = readPlace(await findAddress(server));
			const known = await authorizations.read(place);
			if (known === undefined) return false;
			await authorizations.save(place, undefined);
			await endSignIn(known, fetchFor(place, await policy()));
			return true;
		},
	};
}

function readChallenge(known: KnownServer | undefined): Challenge | undefined {
	return known?.state.kind === "signIn" ? known.state.challenge : undefined;
}

/** Within what this machine's administrator allows, too. */
function judgeFor(place: string, limits: Policy | undefined): (url: URL) => Judged {
	const server = new URL(place);
	return (url) => {
		const judged = judgeEndpoint(url, server);
		if (judged.kind === "refused" || limits === undefined) return judged;
		const beyond = findBeyondLimits({ type: "http", url: url.href, headers: {}, enabled: true, timeoutMs: 0 }, limits);
		return beyond === undefined ? judged : { kind: "refused", reason: "not an allowed site on this machine" };
	};
}
