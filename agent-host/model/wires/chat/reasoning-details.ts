import * as z from "zod";
import { createCallLimit } from "../call-limit.ts";

/** Pieces of one answer's reasoning that are kept; no model writes more. */
const MAX_DETAILS = 10_000;

// Never rebuilt from a schema: it must go back as it came, in the order of its keys.
const Detail = z.custom<Detail>((value) => typeof value === "object" && value !== null && !Array.isArray(value));
type Detail = Readonly<Record<string, unknown>>;

/** Texts arrive in pieces; everything else arrives whole. */
const GROWING = ["text", "summary"] as const;

/** Puts together the reasoning that a gateway streams in parts and wants back unchanged. */
export function createDetails(): { readonly add: (raw: unknown) => void; readonly all: () => readonly Detail[] } {
	const details: Detail[] = [];
	const limit = createCallLimit();
	return {
		add(raw) {
			for (const one of Array.isArray(raw) ? raw : []) {
				const detail = Detail.safeParse(one).data;
				if (detail === undefined || details.length >= MAX_DETAILS) continue;
				const before = details.at(-1);
				if (before !== undefined && continues(before, detail)) {
					for (const field of GROWING) limit.addSealed(textIn(detail, field));
					details[details.length - 1] = join(before, detail);
				} else {
					limit.addSealed(JSON.stringify(detail));
					details.push(detail);
				}
			}
		},
		all: () => details,
	};
}

function continues(before: Detail, next: Detail): boolean {
	const isText = next.type === "reasoning.text" || next.type === "reasoning.summary";
	return isText && before.type === next.type && before.index === next.index;
}

function join(before: Detail, next: Detail): Detail {
	const isText = (field: string) => typeof before[field] === "string" || typeof next[field] === "string";
	// Concatenated: joining would copy the whole text for every piece.
	const grown = GROWING.filter(isText).map((field) => [field, textIn(before, field) + textIn(next, field)] as const);
	const set = Object.entries(next).filter(([, value]) => value !== null && value !== undefined);
	return { ...before, ...Object.fromEntries(set), ...Object.fromEntries(grown) };
}

function textIn(detail: Detail, field: string): string {
	const text = detail[field];
	return typeof text === "string" ? text : "";
}
