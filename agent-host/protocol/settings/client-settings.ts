import * as z from "zod";
import { PartialSettings } from "./settings.ts";

/**
 * Settings as a client sends them. An unknown key is an error: silently dropped, it would look as if it applied.
 * Records are read with `PartialSettings`, because another release may have written more.
 */
export const ClientSettings = z
	.unknown()
	.superRefine((raw, context) => {
		for (const path of unknownKeys(PartialSettings, raw)) {
			context.addIssue({ code: "custom", path: [...path], message: "is not a setting", input: raw });
		}
	})
	// Input and output are those of PartialSettings; only the check before it is new.
	.pipe(PartialSettings) as unknown as z.ZodType<PartialSettings, PartialSettings>;

type Path = readonly (string | number)[];

/** Keys of a value that are missing in its schema. */
function unknownKeys(schema: unknown, value: unknown, path: Path = []): readonly Path[] {
	const bare = unwrap(schema);
	if (typeof value !== "object" || value === null) return [];
	if (bare instanceof z.ZodArray && Array.isArray(value)) {
		return value.flatMap((entry, index) => unknownKeys(bare.element, entry, [...path, index]));
	}
	if (bare instanceof z.ZodRecord) {
		return Object.entries(value).flatMap(([key, entry]) => unknownKeys(bare.valueType, entry, [...path, key]));
	}
	if (!(bare instanceof z.ZodObject)) return [];
	return Object.entries(value).flatMap(([key, entry]) =>
		Object.hasOwn(bare.shape, key) ? unknownKeys(bare.shape[key], entry, [...path, key]) : [[...path, key]],
	);
}

function unwrap(schema: unknown): unknown {
	const isWrapped =
		schema instanceof z.ZodOptional ||
		schema instanceof z.ZodNullable ||
		schema instanceof z.ZodDefault ||
		schema instanceof z.ZodPrefault;
	return isWrapped ? unwrap(schema.unwrap()) : schema;
}
