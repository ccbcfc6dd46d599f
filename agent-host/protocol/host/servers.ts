import * as z from "zod";
import { defineMethod, defineNotification } from "../method.ts";
import { ServerInput } from "../settings/server-settings.ts";

/** A tool as its server describes it, within the host's limits. */
const ListedTool = z.object({ name: z.string(), description: z.string() });

/** An MCP server, and what is known about it. */
export const ListedServer = z.object({
	name: z.string(),
	/** Its command line or address. */
	where: z.string(),
	kind: z.enum(["program", "address"]),
	/** The file of the workspace that defines it; absent if the user's settings do. */
	file: z.string().optional(),
	/** A program that runs with the user's rights. */
	uncontained: z.literal(true).optional(),
	/**
	 * `idle`: it starts with the next call. `off`: switched off in the settings, or the workspace is not trusted.
	 * `unasked`: of the workspace; the user is asked with the next turn. `signIn`: it needs the user to sign in.
	 */
	state: z.enum(["off", "unasked", "idle", "starting", "running", "failed", "signIn"]),
	/** The user is signed in to it. */
	signedIn: z.literal(true).optional(),
	/** It needs a sign-in that allows it more than the last one. */
	needsMore: z.literal(true).optional(),
	/** Why it failed. */
	reason: z.string().optional(),
	/** Absent until it was asked. */
	tools: z.array(ListedTool).optional(),
	/** What of its tools is left out, and why; one sentence each. */
	notes: z.array(z.string()),
});
export type ListedServer = z.infer<typeof ListedServer>;

const name = z.string().max(200);
/** The file that defines it, if files of several folders define one of this name. */
const file = z.string().max(32_768).optional();
export const NamedServer = z.object({ name, file });

export const serverList = defineMethod("server/list", "The configured MCP servers and their state. Starts none.", {
	params: z.object({}),
	result: z.object({ servers: z.array(ListedServer) }),
});

export const serverStart = defineMethod(
	"server/start",
	"Starts an MCP server, also one that failed, and lists its tools.",
	{
		params: NamedServer,
		result: ListedServer,
	},
);

export const serverStop = defineMethod("server/stop", "Ends an MCP server. It starts again with the next call.", {
	params: NamedServer,
	result: z.object({}),
});

export const serverLog = defineMethod("server/log", "The end of a server's error output, and what was refused to it.", {
	params: NamedServer,
	result: z.object({ text: z.string() }),
});

export const serverInput = defineMethod(
	"server/input",
	"Sent by the host when a server that starts needs a value from the user. The client gives the one that is stored for this place, or asks and stores it as a secret; the host does not keep it.",
	{
		params: z.object({
			server: z.string(),
			/** Where the value goes: a command line, or an origin. A value that was given for another place does not count. */
			place: z.string(),
			/** The file of the workspace that asks. */
			file: z.string().optional(),
			input: ServerInput,
		}),
		/** Without a value the user did not want to say. */
		result: z.object({ value: z.string().optional() }),
	},
);

export const serversChanged = defineNotification(
	"server/changed",
	"State or tools of MCP servers changed.",
	z.object({}),
);
