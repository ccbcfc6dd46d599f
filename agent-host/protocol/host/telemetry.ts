import * as z from "zod";
import { defineMethod } from "../method.ts";

/** A timed part of a turn, with OpenTelemetry's names. */
export const Span = z.object({
	/** The turn's id: 32 hexadecimal digits. */
	traceId: z.string(),
	/** Within the turn: 16 hexadecimal digits. The turn itself has no parent. */
	spanId: z.string(),
	parentId: z.string().optional(),
	name: z.string(),
	kind: z.enum(["internal", "client"]),
	/** Milliseconds since 1970; without an end it is still running. */
	startMs: z.number(),
	endMs: z.number().optional(),
	attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
	/** The kind of failure it ended with. */
	error: z.string().optional(),
});
export type Span = z.infer<typeof Span>;

export const hostTraces = defineMethod(
	"host/traces",
	"Traces of this host's last turns, oldest first. Without prompts and answers, unless the user enabled them.",
	{ params: z.object({}), result: z.object({ spans: z.array(Span) }) },
);
