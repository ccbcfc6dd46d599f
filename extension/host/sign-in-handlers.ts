import type { ClientHandlers } from "./client-handlers.ts";

/** Answers to the host's requests while the user signs in to an MCP server. */
export type SignInHandlers = Pick<
	ClientHandlers,
	"serverCredentials" | "serverKeepCredentials" | "serverRedirect" | "serverAuthorize"
>;
