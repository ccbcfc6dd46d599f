import { createHash } from "node:crypto";
import type { Offer, ServerTool } from "../../envelope/envelope.ts";
import { digestValue } from "../../permissions/policy/policy.ts";
import type { KnownServer } from "./server.ts";

/** Providers refuse longer names, and with them the whole request. */
const MAX_NAME_CHARS = 64;
const HASH_CHARS = 8;

/** More tools than this make models choose badly; the rest is left out, and the user is told. */
export const MAX_OFFERED = 64;

/** The tools of all servers as the model is offered them, in a fixed order. */
export function offerTools(known: readonly KnownServer[]): readonly ServerTool[] {
	return known
		.flatMap(({ server, catalogue }) =>
			(catalogue?.tools ?? []).map(({ name, description, parameters }) => ({
				name: nameTool(server.name, name),
				server: server.name,
				tool: name,
				description,
				parameters,
				digest: digestValue({ server: server.digest, name, description, parameters }),
			})),
		)
		.slice(0, MAX_OFFERED);
}

/** What the model is told about connected servers. */
export function describeServers(known: readonly KnownServer[]): readonly Offer[] {
	return known.map(({ server: { name }, state, catalogue }) => {
		if (state.kind === "failed") return { name, about: "not available now" };
		const count = catalogue?.tools.length ?? 0;
		return { name, about: `${count} ${count === 1 ? "tool" : "tools"}, named ${prefixOf(name)}…` };
	});
}

/**
 * The name of a server's tool for the model. It depends on nothing but server and tool; if letters had to be replaced or
 * cut, or it could be read in two ways, a hash keeps it apart from others.
 */
export function nameTool(server: string, tool: string): string {
	const wanted = `mcp__${server}__${tool}`;
	const plain = wanted.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
	if (plain === wanted && plain.length <= MAX_NAME_CHARS && isClear(server, tool)) return plain;
	const hash = createHash("sha256").update(`${server}\n${tool}`).digest("hex").slice(0, HASH_CHARS);
	return `${plain.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
}

/** Whether it can be told where one name ends and the other begins. */
function isClear(server: string, tool: string): boolean {
	return !/__|_$/.test(server) && !/^_|__/.test(tool);
}

function prefixOf(server: string): string {
	return `mcp__${server.replaceAll(/[^a-zA-Z0-9_-]/g, "_")}__`;
}
