import * as z from "zod";
import { MAX_QUERY_CHARS } from "../limits.ts";
import { defineMethod } from "../method.ts";

const server = z.string().max(200);
const uri = z.string().max(2_000);

/** Something that a server offers to be read into a prompt. */
const FoundResource = z.object({
	server,
	name: z.string(),
	/** Its address, or a template of addresses. */
	uri,
	about: z.string(),
	/** The values that a template needs, by name. */
	takes: z.array(z.string()).optional(),
});
export type FoundResource = z.infer<typeof FoundResource>;

export const serverFindResources = defineMethod(
	"server/findResources",
	"Resources of MCP servers by a part of their names or addresses, best first. Starts no server.",
	{
		params: z.object({ query: z.string().max(MAX_QUERY_CHARS), limit: z.int().min(1).max(100).default(10) }),
		result: z.object({ resources: z.array(FoundResource) }),
	},
);

export const serverReadResource = defineMethod(
	"server/readResource",
	"The text of a resource that an MCP server lists; for the user, who attaches it to a prompt. Starts the server if needed.",
	{
		params: z.object({
			server,
			/** As it was found; a template is filled with `values`. */
			uri,
			values: z.record(z.string().max(200), z.string().max(1_000)).default({}),
		}),
		result: z.object({ text: z.string() }),
	},
);
