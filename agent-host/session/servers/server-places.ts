import type { Server } from "../../capabilities/servers/server.ts";
import type { Brought } from "../brought/brought.ts";
import type { Facts } from "../facts.ts";
import { findOpenFolder } from "../thread/thread-contract.ts";

/** Servers of plugins and of the workspace, as they are found in one place or in all. */
export type FoundServers = Pick<Brought, "servers" | "unaskedServers">;

/**
 * Where threads of this window find servers: in the folders of the workspace, and in the worktrees that open threads
 * work in. Without a folder there are only those of plugins.
 */
export function listServerPlaces(
	facts: Pick<Facts, "folders" | "trusted" | "worktrees">,
	cwds: readonly (string | undefined)[],
): readonly (string | undefined)[] {
	const worktrees = cwds.flatMap((cwd) => {
		const open = cwd === undefined ? undefined : findOpenFolder(cwd, facts);
		return open?.repository === undefined ? [] : open.roots;
	});
	const [first, ...others] = new Set([...facts.folders, ...worktrees]);
	return [first, ...others];
}

/** Looks in each place. One that cannot be read hides no other. */
export async function findInPlaces(
	places: readonly (string | undefined)[],
	look: (place: string | undefined) => Promise<FoundServers>,
): Promise<FoundServers> {
	const looks = await Promise.allSettled(places.map(look));
	const found = looks.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
	const [failed] = looks.filter((one) => one.status === "rejected");
	if (found.length === 0 && failed !== undefined) throw failed.reason;
	return {
		servers: keepOnce(found.flatMap(({ servers }) => servers)),
		unaskedServers: keepOnce(found.flatMap(({ unaskedServers }) => unaskedServers)),
	};
}

/** A name stands for one server of a file, and for one without a file. */
function keepOnce(servers: readonly Server[]): readonly Server[] {
	const key = ({ name, file }: Server): string => [name, file?.path ?? ""].join("\n");
	return [...new Map(servers.map((server) => [key(server), server])).values()];
}
