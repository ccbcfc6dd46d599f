import type * as z from "zod";

/** Why a value does not fit its schema. */
export type Issue = z.core.$ZodIssue;

/** The schema library's own words, which say nothing to the person who wrote the value. */
const LIBRARY_WORDS = /^(?:Invalid|Too big|Too small|Unrecognized|No matching)\b/;

const NAMES: Readonly<Record<string, string>> = {
	string: "text",
	number: "a number",
	int: "a whole number",
	boolean: "true or false",
	array: "a list",
	object: "an object",
	record: "an object",
	null: "null",
};

/** What is wrong with a value, as the end of a sentence that begins with its name: "must be a number". */
export function describeIssue(issue: Issue): string {
	// A schema that says in its own words what it needs says it better.
	if (!LIBRARY_WORDS.test(issue.message)) return issue.message;
	switch (issue.code) {
		case "invalid_type":
			if (issue.message.endsWith("received undefined")) return "is missing";
			return `must be ${NAMES[issue.expected] ?? "something else"}`;
		case "invalid_value":
			return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map((value) => JSON.stringify(value)).join(", ")}`;
		case "too_big":
			return `must ${measure(issue.origin, "at most", issue.maximum)}`;
		case "too_small":
			return `must ${measure(issue.origin, "at least", issue.minimum)}`;
		case "unrecognized_keys":
			return `has unknown fields: ${issue.keys.join(", ")}`;
		case "invalid_union":
		case "invalid_format":
		case "invalid_key":
		case "invalid_element":
		case "not_multiple_of":
		case "custom":
			return "is not valid";
	}
}

function measure(origin: string, bound: string, limit: number | bigint): string {
	if (origin === "string") return `have ${bound} ${limit} characters`;
	if (origin === "array" || origin === "set") return `have ${bound} ${limit} entries`;
	return `be ${bound} ${limit}`;
}
