import { countInvisible } from "./count-invisible.ts";
import { escapeMarkers, type Tag, unescapeMarkers } from "./tags.ts";

export type FragmentRole = "developer" | "user";
export type FragmentOrigin = "host" | "user" | "workspace" | "tool" | "server";

/**
 * One piece of model-visible text that the host adds. Recorded as a fragment, so nothing has to parse tags to find it.
 */
export interface Fragment {
	readonly kind: string;
	readonly role: FragmentRole;
	readonly origin: FragmentOrigin;
	readonly text: string;
	/** A few words about it for the user. */
	readonly summary: string;
}

export interface FragmentKind<D> {
	/** Persisted: never renamed. */
	readonly kind: string;
	readonly role: FragmentRole;
	/** Persisted: never renamed. Undefined if the text has no tag and is never recognized again. */
	readonly tag: Tag | undefined;
	readonly origin: FragmentOrigin;
	readonly maxChars: number;
	readonly about: string;
	readonly of: (data: D) => Fragment;
	/** The unescaped body of a text that `of` made; undefined for any other text. */
	readonly read: (text: string) => string | undefined;
}

/** Declares a kind of fragment: data in, bounded and escaped text out, between its tags where it has any. */
export function defineFragment<D>(shape: {
	readonly kind: string;
	readonly role: FragmentRole;
	/** Omit for a fragment that never has to be recognized: its text then has no markers. */
	readonly tag?: Tag;
	/** Where the text comes from; if several sources mix, the least trusted one. */
	readonly origin: FragmentOrigin;
	readonly maxChars: number;
	readonly about: string;
	readonly summary: (data: D) => string;
	/** Tag attributes; values are escaped here. */
	readonly attributes?: (data: D) => Readonly<Record<string, string>>;
	/** Lines of the body, escaped here: nothing in it can close this tag or open another. */
	readonly body: (data: D) => string;
}): FragmentKind<D> {
	const { kind, role, tag, origin, maxChars, about } = shape;
	const of = (data: D): Fragment => {
		const body = escapeMarkers(truncateChars(shape.body(data), maxChars));
		if (tag === undefined) return { kind, role, origin, text: body, summary: shape.summary(data) };
		const named = Object.entries(shape.attributes?.(data) ?? {});
		const attributes = [...named, ...invisibleIn([body, ...named.map(([, value]) => value)])].map(
			([name, value]) => ` ${name}="${escapeAttribute(value)}"`,
		);
		const text = `<${tag}${attributes.join("")}>\n${body}\n</${tag}>`;
		return { kind, role, origin, text, summary: shape.summary(data) };
	};
	const read = (text: string): string | undefined => {
		if (tag === undefined) return undefined;
		const inner = new RegExp(`^<${tag}(?: [a-z_]+="[^"<>]*")*>\\n([\\s\\S]*)\\n</${tag}>$`).exec(text)?.[1];
		return inner === undefined || inner.includes(`</${tag}>`) ? undefined : unescapeMarkers(inner);
	};
	return { kind, role, tag, origin, maxChars, about, of, read };
}

/** The host's own text contains no invisible characters, so all of them came from outside. */
function invisibleIn(texts: readonly string[]): readonly (readonly [string, string])[] {
	const count = texts.reduce((sum, text) => sum + countInvisible(text), 0);
	return count === 0 ? [] : [["invisible", String(count)]];
}

function escapeAttribute(value: string): string {
	return value
		.replaceAll("&", "&amp;")
		.replaceAll("<", "&lt;")
		.replaceAll(">", "&gt;")
		.replaceAll('"', "&quot;")
		.replaceAll(/[\p{Cc}\u2028\u2029\uFE64\uFF1C]/gu, (character) => `&#${character.charCodeAt(0)};`);
}

function truncateChars(text: string, max: number): string {
	return text.length <= max
		? text
		: `${text.slice(0, max).toWellFormed()}\n[cut: ${text.length - max} more characters]`;
}
