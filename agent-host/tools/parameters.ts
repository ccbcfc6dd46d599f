import * as z from "zod";
import { withoutBounds } from "../envelope/without-bounds.ts";

/** A number that is moved into its range, since models are not told the range. */
export function clampedInt(min: number, max: number) {
	return z.int().transform((value) => Math.min(Math.max(value, min), max));
}

/** The JSON schema of a tool's arguments, as every server accepts it. Our own check of them keeps every bound. */
export function toParameters(input: z.ZodType): Readonly<Record<string, unknown>> {
	return withoutBounds(z.toJSONSchema(input, { io: "input" }));
}
