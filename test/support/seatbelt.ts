import type { Profile } from "../../agent-host/sandbox/macos/seatbelt.ts";

/** A small Seatbelt: reads a profile's text back and says what it lets be done. */
export interface Seatbelt {
	/** Throws when Seatbelt's two readings of the profile differ: then the profile depends on which one is true. */
	readonly allows: (operation: string, path: string, kind?: "folder" | "file") => boolean;
}

type Form = string | { readonly text: string } | readonly Form[];

interface ReadRule {
	readonly verdict: "allow" | "deny";
	readonly operations: readonly string[];
	readonly filters: readonly Form[];
}

interface Asked {
	readonly path: string;
	readonly kind: "folder" | "file";
}

export function readSeatbelt(profile: Profile): Seatbelt {
	const parameters = new Map(profile.parameters);
	const [version, ...forms] = readForms(profile.text);
	if (JSON.stringify(version) !== '["version","1"]') throw new Error("A profile begins with its version.");
	const rules = forms.map(readRule);
	const textOf = (form: Form | undefined): string => {
		if (typeof form === "object" && "text" in form) return form.text;
		const name = Array.isArray(form) && form[0] === "param" ? textOf(form[1]) : undefined;
		const value = name === undefined ? undefined : parameters.get(name);
		if (value === undefined) throw new Error(`${JSON.stringify(form)} has no value.`);
		return value;
	};
	const matches = (form: Form, asked: Asked): boolean => {
		if (!Array.isArray(form)) throw new Error(`${JSON.stringify(form)} is not a filter.`);
		const [name, ...rest] = form as readonly Form[];
		switch (name) {
			case "literal":
				return asked.path === textOf(rest[0]);
			case "subpath":
				return asked.path === textOf(rest[0]) || asked.path.startsWith(`${textOf(rest[0])}/`);
			case "regex":
				return expression(textOf(rest[0])).test(asked.path);
			case "vnode-type":
				return rest[0] === "DIRECTORY" && asked.kind === "folder";
			case "require-all":
				return rest.every((part) => matches(part, asked));
			case "require-not":
				return !rest.some((part) => matches(part, asked));
			// About sockets that are not files.
			case "remote":
			case "local":
			case "control-name":
			case "extension":
				return false;
			default:
				throw new Error(`${String(name)} is not a filter of paths.`);
		}
	};
	const isAbout = ({ filters }: ReadRule, asked: Asked): boolean =>
		filters.length === 0 || filters.some((filter) => matches(filter, asked));
	/** The last rule about one of these operations and this path, if there is any. */
	const last = (operations: readonly string[], asked: Asked): boolean | undefined => {
		const named = rules.filter((rule) => rule.operations.some((operation) => operations.includes(operation)));
		const rule = named.findLast((one) => isAbout(one, asked));
		return rule === undefined ? undefined : rule.verdict === "allow";
	};
	return {
		allows: (operation, path, kind = "file") => {
			const asked = { path, kind };
			const families = familiesOf(operation);
			const inOrder = last(families, asked) ?? false;
			const specificFirst =
				families.map((name) => last([name], asked)).find((verdict) => verdict !== undefined) ?? false;
			if (inOrder !== specificFirst) throw new Error(`${operation} ${path} depends on how rules are weighed.`);
			return inOrder;
		},
	};
}

const expressions = new Map<string, RegExp>();

function expression(source: string): RegExp {
	const made = expressions.get(source) ?? new RegExp(source);
	expressions.set(source, made);
	return made;
}

/** The operation and the names with a star that it belongs to, nearest first. */
function familiesOf(operation: string): readonly string[] {
	const parts = operation.split("-");
	const stars = parts.slice(0, -1).map((_, index) => `${parts.slice(0, parts.length - 1 - index).join("-")}*`);
	return [operation, ...stars, `${operation}*`, "default"];
}

function readRule(form: Form): ReadRule {
	if (!Array.isArray(form)) throw new Error(`${JSON.stringify(form)} is not a rule.`);
	const [verdict, ...rest] = form as readonly Form[];
	if (verdict !== "allow" && verdict !== "deny") throw new Error(`${String(verdict)} is not a verdict.`);
	const operations = rest.filter((part) => typeof part === "string");
	return { verdict, operations, filters: rest.filter((part) => typeof part !== "string") };
}

function readForms(text: string): readonly Form[] {
	const tokens = text.match(/[()]|"(?:[^"\\]|\\.)*"|[^\s()"]+/g) ?? [];
	const stack: Form[][] = [[]];
	for (const token of tokens) {
		if (token === "(") stack.push([]);
		else if (token === ")") {
			const closed = stack.pop() ?? [];
			const around = stack.at(-1);
			if (around === undefined) throw new Error("A parenthesis too many.");
			around.push(closed);
		} else stack.at(-1)?.push(token.startsWith('"') ? { text: JSON.parse(token) } : token);
	}
	if (stack.length !== 1) throw new Error("A parenthesis is not closed.");
	return stack[0] ?? [];
}
