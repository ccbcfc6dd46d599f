import type { ChatReader } from "../../agent-host/model/wires/chat/chat-body.ts";
import type { ChatServer } from "../../agent-host/model/wires/chat/chat-server.ts";
import type { Quirk } from "../../agent-host/model/wires/refusals/quirks.ts";

/** A server of Chat Completions that gets a request. */
export function aReader(
	server: ChatServer = "other",
	quirks: readonly Quirk[] = [],
	rest: Partial<ChatReader> = {},
): ChatReader {
	return { server, quirks: new Set(quirks), source: "s", refusedSeals: new Set(), ...rest };
}
