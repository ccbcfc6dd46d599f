import type { Servers } from "../../capabilities/servers/load.ts";
import { type DescribedResource, fillTemplate, readResourceText } from "../../capabilities/servers/read-resources.ts";
import type { Server } from "../../capabilities/servers/server.ts";
import { HostError } from "../../protocol/errors.ts";
import type { FoundResource } from "../../protocol/host/server-resources.ts";
import { say } from "../../protocol/say.ts";

/** A server that does not answer by then is not waited for: the prompt is about to be sent. */
const READ_MS = 30_000;

/** What servers offer for prompts, besides tools: only what they list can be read, and only the user reads it. */
export interface ServerResources {
	/** Of servers that were started before; those whose names match best come first. */
	readonly find: (query: string, limit: number) => Promise<readonly FoundResource[]>;
	readonly read: (server: string, uri: string, values: Readonly<Record<string, string>>) => Promise<string>;
}

export function createServerResources(
	servers: Pick<Servers, "list" | "readResource">,
	/** Those that a turn would use now. */
	usable: () => Promise<readonly Server[]>,
	describeFailure: (server: Server, error: unknown) => string,
): ServerResources {
	const list = async (): Promise<readonly { readonly server: Server; readonly resource: DescribedResource }[]> => {
		const known = servers.list().filter(({ catalogue }) => (catalogue?.resources.length ?? 0) > 0);
		if (known.length === 0) return [];
		const digests = new Set((await usable()).map(({ digest }) => digest));
		return known
			.filter(({ server }) => digests.has(server.digest))
			.flatMap(({ server, catalogue }) => (catalogue?.resources ?? []).map((resource) => ({ server, resource })));
	};
	return {
		find: async (query, limit) => {
			const wanted = query.toLowerCase();
			const ranked = (await list()).flatMap(({ server: { name: server }, resource }) => {
				const places = [`${server}:${resource.name}`, `${server}:${resource.uri}`].map((text) =>
					text.toLowerCase().indexOf(wanted),
				);
				const [rank] = places.filter((at) => at >= 0).sort((a, b) => a - b);
				return rank === undefined ? [] : [{ rank, found: { server, ...resource } }];
			});
			return ranked
				.sort((a, b) => a.rank - b.rank)
				.slice(0, limit)
				.map(({ found: { takes, ...found } }) => ({ ...found, ...(takes && { takes: [...takes] }) }));
		},
		read: async (server, uri, values) => {
			const found = (await list()).find((one) => one.server.name === server && one.resource.uri === uri);
			const address = found && (await fillTemplate(found.resource, values));
			if (found === undefined || address === undefined) {
				throw new HostError("input-refused", say("resource-gone", { server, uri }));
			}
			const raw = await servers
				.readResource(found.server, address, AbortSignal.timeout(READ_MS))
				.catch((error: unknown) => {
					throw new HostError(
						"input-refused",
						say("resource-unread", { server, uri, reason: describeFailure(found.server, error) }),
					);
				});
			return readResourceText(raw);
		},
	};
}
