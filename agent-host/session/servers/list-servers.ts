import { readPlace, signsIn } from "../../capabilities/servers/http-transport.ts";
import { countUnoffered, MAX_OFFERED } from "../../capabilities/servers/offer.ts";
import { isUncontained, type KnownServer, type Server } from "../../capabilities/servers/server.ts";
import { findForbidding } from "../../permissions/resolve/limit-servers.ts";
import type { ListedServer } from "../../protocol/host/servers.ts";
import type { Managed } from "../../protocol/settings/managed-limits.ts";
import type { ServerSettings } from "../../protocol/settings/server-settings.ts";
import type { FoundServers } from "./server-places.ts";

const MAX_WHERE_CHARS = 500;

/** Where servers are defined. */
export interface DefinedServers extends FoundServers {
	readonly settings: Readonly<Record<string, ServerSettings>>;
}

export interface ServerFacts {
	readonly known: readonly KnownServer[];
	/** Those that a turn would use. */
	readonly usable: readonly Server[];
	readonly managed: readonly Managed[];
	/** Whether the user is signed in to a server at an address. */
	readonly isSignedIn: (place: string) => boolean;
}

/** All servers with what is known about them, by name. Where a workspace uses a name that the user has taken, the user's server comes first. */
export function listServers(
	defined: DefinedServers,
	{ known, usable, managed, isSignedIn }: ServerFacts,
): ListedServer[] {
	const asked = [
		...Object.entries(defined.settings).map(([name, settings]) => ({ name, settings, file: undefined })),
		...[...defined.servers, ...defined.unaskedServers],
	];
	const findKnown = (digest: string) => known.find(({ server }) => server.digest === digest);
	const unoffered = countUnoffered(usable.flatMap(({ digest }) => findKnown(digest) ?? []));
	return asked
		.sort((a, b) => compare(a.name, b.name) || compare(a.file?.path ?? "", b.file?.path ?? ""))
		.map(({ name, settings, file }) => {
			const server = usable.find((one) => one.name === name && one.file?.path === file?.path);
			const found = server && findKnown(server.digest);
			const isUnasked = defined.unaskedServers.some((one) => one.name === name && one.file?.path === file?.path);
			const forbidding = findForbidding(name, managed);
			return {
				name,
				...describePlace(settings),
				...(file && { file: file.path }),
				...describeState(server, found, unoffered.get(server?.digest ?? "") ?? 0),
				...("url" in settings && signsIn(settings) && isSignedIn(readPlace(settings)) && { signedIn: true as const }),
				...(isUnasked && { state: "unasked" as const }),
				...(forbidding && { state: "off" as const, reason: `${forbidding} does not allow it.` }),
			};
		});
}

function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}

function describePlace(settings: ServerSettings): Pick<ListedServer, "where" | "kind" | "uncontained"> {
	if ("url" in settings) return { kind: "address", where: settings.url.slice(0, MAX_WHERE_CHARS) };
	return {
		kind: "program",
		where: [settings.command, ...settings.args].join(" ").slice(0, MAX_WHERE_CHARS),
		...(isUncontained({ settings }) && { uncontained: true }),
	};
}

function describeState(
	server: Server | undefined,
	known: KnownServer | undefined,
	unoffered: number,
): Pick<ListedServer, "state" | "reason" | "needsMore" | "tools" | "notes"> {
	const { state = { kind: "idle" as const }, catalogue } = known ?? {};
	return {
		state: server === undefined ? "off" : state.kind,
		...(state.kind === "failed" && { reason: state.reason }),
		...(state.kind === "signIn" && state.challenge.isStepUp && { needsMore: true as const }),
		...(catalogue && { tools: catalogue.tools.map(({ name, description }) => ({ name, description })) }),
		notes: [
			...(catalogue?.notes ?? []),
			...(unoffered === 0
				? []
				: [`${unoffered} of its tools are not used, since all servers together may offer at most ${MAX_OFFERED}.`]),
		],
	};
}
