import type { TurnEnvelope } from "../../envelope/envelope.ts";
import type { ModelRequest } from "../../model/port.ts";
import { wireBody } from "../../model/wire-body.ts";
import type { ServerKnowledge } from "../../model/wires/connection/server.ts";
import type { Typed } from "./read-typed.ts";

/** Which request to show, and how: a sent one by its number, otherwise the next one. */
export interface Inspection {
	readonly request?: number | undefined;
	/** Whether to include its body. */
	readonly raw?: boolean | undefined;
	/** For the next one: what the user has typed so far. */
	readonly input?: Typed | undefined;
}

/** A request and its recipient. */
export interface Shown {
	readonly identity: TurnEnvelope["identity"];
	readonly request: ModelRequest;
}

/** Longer texts are cut, which affects only images and whole files: a message to a client has a size limit. */
const MAX_TEXT_CHARS = 200_000;

export async function rawBody(
	{ identity, request }: Shown,
	memory: ServerKnowledge,
): Promise<{ readonly raw: string }> {
	return { raw: JSON.stringify(await wireBody(identity, request, memory), cutLong) };
}

function cutLong(_: string, value: unknown): unknown {
	if (typeof value !== "string" || value.length <= MAX_TEXT_CHARS) return value;
	return `${value.slice(0, MAX_TEXT_CHARS)}… (${value.length - MAX_TEXT_CHARS} more characters)`;
}
