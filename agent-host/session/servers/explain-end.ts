import type { KnownServer, Server } from "../../capabilities/servers/server.ts";
import type { ServerLogs } from "./server-log.ts";

/** What the library says about a program that ended, also if it never answered. */
const CLOSED = "Connection closed";

/** What programs print that look for a host and have no network. */
const NO_NETWORK = /\b(?:EAI_AGAIN|ENOTFOUND|ENETUNREACH)\b|Could not resolve host|name resolution|dns error/i;

const WITHOUT_NETWORK =
	"It looked for a site, but a server in the sandbox connects only to sandbox.network.allowedDomains. If it is to be downloaded, as npx does, install it in the workspace first.";

type ToldBy = Pick<ServerLogs, "endOf" | "read" | "hide">;

/** A program that has ended says nothing itself; why it did may be something that the user can change. */
export function explainEnd(server: Server, said: string, logs: ToldBy): string {
	const end = said === CLOSED ? logs.endOf(server) : undefined;
	if (end === undefined) return logs.hide(server, said);
	const hint = isOffline(server) && NO_NETWORK.test(logs.read(server)) ? ` ${WITHOUT_NETWORK}` : "";
	return `Its program has ended. ${end}${hint}`;
}

/** The same for a server that did not start. */
export function explainStart(known: KnownServer, logs: ToldBy): KnownServer {
	const { state, server } = known;
	return state.kind === "failed"
		? { ...known, state: { ...state, reason: explainEnd(server, state.reason, logs) } }
		: known;
}

function isOffline({ settings }: Server): boolean {
	return "command" in settings && settings.sandboxEnabled && settings.sandbox.network.allowedDomains.length === 0;
}
