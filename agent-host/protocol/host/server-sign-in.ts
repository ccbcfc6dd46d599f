import * as z from "zod";
import { defineMethod } from "../method.ts";
import { ListedServer, NamedServer } from "./servers.ts";

const name = z.string().max(200);
/** What is stored for the sign-in with a plan at a model server has this before the server's origin. */
export const PLAN_PLACE = "chatgpt ";
/** A server's whole address: what is stored for it goes to no other. */
const place = z.string().max(32_768);
/** Tells one sign-in from another; random, and known to nobody but host, client and service. */
const state = z.string().min(32).max(200);

export const serverSignIn = defineMethod(
	"server/signIn",
	"Signs the user in to an MCP server at an address, in the browser, and starts it. Takes as long as the user needs.",
	{ params: NamedServer, result: ListedServer },
);

export const serverSignOut = defineMethod(
	"server/signOut",
	"Ends the sign-in to an MCP server, also at its service where that is possible, and stops the server.",
	{ params: NamedServer, result: z.object({ signedOut: z.boolean() }) },
);

export const serverCredentials = defineMethod(
	"server/credentials",
	"Sent by the host to read what the client keeps as a secret for the sign-in to a server, or with a plan.",
	{ params: z.object({ place }), result: z.object({ value: z.string().optional() }) },
);

export const serverKeepCredentials = defineMethod(
	"server/keepCredentials",
	"Sent by the host when a sign-in begins, is renewed or ends. The client keeps the value as a secret, and removes it if there is none.",
	{ params: z.object({ place, value: z.string().optional() }), result: z.object({}) },
);

export const serverRedirect = defineMethod(
	"server/redirect",
	"Sent by the host at the start of a sign-in: an address that leads back to the client. It counts for this sign-in only, and for a few minutes.",
	{
		params: z.object({
			state,
			/** `editor`: opened by the system. `loopback`: a listener on the client's machine. */
			kind: z.enum(["editor", "loopback"]),
			/** The listener's port, if the service knows only that one. */
			port: z.int().optional(),
			/** The listener's path, if the service knows only that one. */
			path: z
				.string()
				.regex(/^(?:\/[\w-]{1,30}){1,4}$/)
				.optional(),
		}),
		result: z.object({ address: z.string().max(2_000) }),
	},
);

export const serverAuthorize = defineMethod(
	"server/authorize",
	"Sent by the host to have the user sign in in the browser, once they agree to open the address. The client waits for the redirect.",
	{
		params: z.object({
			state,
			server: name,
			url: z.string().max(32_768),
			/** The sign-in is one with a ChatGPT plan, which the user has chosen by name. */
			plan: z.literal("chatgpt").optional(),
		}),
		/** What came back, of this sign-in only; absent if the user did not sign in. */
		result: z.object({ query: z.string().max(32_768).optional() }),
	},
);
