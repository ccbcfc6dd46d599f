import { createHash } from "node:crypto";
import type { Offer, ServerPrompt, ServerTool } from "../../envelope/envelope.ts";
import { digestValue } from "../../permissions/policy/policy.ts";
import { isUncontained, type KnownServer } from "./server.ts";

/** Providers refuse longer names, and with them the whole request. */
const MAX_NAME_CHARS = 64;
const HASH_CHARS = 8;

/** More tools than this are not kept for a turn, not even to be found. */
export const MAX_OFFERED = 512;

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
				...(isUncontained(server) && { uncontained: true as const }),
			})),
		)
		.slice(0, MAX_OFFERED);
}

/** How many tools of each server are beyond that, by the server's digest. */
export function countUnoffered(known: readonly KnownServer[]): ReadonlyMap<string, number> {
	let room = MAX_OFFERED;
	return new Map(
		known.map(({ server, catalogue }) => {
			const count = catalogue?.tools.length ?? 0;
			const offered = Math.min(count, room);
			room -= offered;
			return [server.digest, count - offered];
		}),
	);
}

/** The prompts of all servers as the user can invoke them, in a fixed order. */
export function offerPrompts(known: readonly KnownServer[]): readonly ServerPrompt[] {
	return known.flatMap(({ server, catalogue }) =>
		(catalogue?.prompts ?? []).map(({ name, description, arguments: takes }) => ({
			...{ name: nameTool(server.name, name), server: server.name, prompt: name, about: description, takes },
			digest: digestValue({ server: server.digest, name, description, takes }),
		})),
	);
}

/** What the model is told about connected servers: how their tools are named, or that they have to be found. */
export function describeServers(known: readonly KnownServer[], tools: "listed" | "found"): readonly Offer[] {
	const unoffered = countUnoffered(known);
	return known.map(({ server: { name, digest }, state, catalogue }) => {
		if (state.kind === "failed") return { name, about: "not available now" };
		if (state.kind === "signIn" && catalogue === undefined) {
			return { name, about: "not available until the user signs in to it in the MCP Servers view" };
		}
		const count = (catalogue?.tools.length ?? 0) - (unoffered.get(digest) ?? 0);
		const how = tools === "listed" ? `named ${prefixOf(name)}…` : "not listed: look for them with find_server_tools";
		return { name, about: `${count} ${count === 1 ? "tool" : "tools"}, ${how}` };
	});
}

/**
 * The name of a server's tool for the model. It depends on nothing but server and tool; if letters had to be replaced or
 * cut, or it could be read in two ways, a hash keeps it apart from others.
 */
export function nameTool(server: string, tool: string): string {
	return joinNames(`mcp__${server}`, tool, isClear(server, tool), server);
}

/** Two names in one that providers take. */
export function joinNames(first: string, tool: string, isUnmistakable = true, hashed = first): string {
	const wanted = `${first}__${tool}`;
	const plain = wanted.replaceAll(/[^a-zA-Z0-9_-]/g, "_");
	if (plain === wanted && plain.length <= MAX_NAME_CHARS && isUnmistakable) return plain;
	const hash = createHash("sha256").update(`${hashed}\n${tool}`).digest("hex").slice(0, HASH_CHARS);
	return `${plain.slice(0, MAX_NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
}

/** Whether it can be told where one name ends and the other begins. */
function isClear(server: string, tool: string): boolean {
	return !/__|_$/.test(server) && !/^_|__/.test(tool);
}

function prefixOf(server: string): string {
	return `mcp__${server.replaceAll(/[^a-zA-Z0-9_-]/g, "_")}__`;
}
