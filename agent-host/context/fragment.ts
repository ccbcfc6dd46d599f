export type FragmentRole = "developer" | "user";
export type FragmentOrigin = "host" | "user" | "workspace" | "tool" | "server";

/** One piece of model-visible text the host adds. Recorded as such, so nothing ever parses tags to find it. */
export interface Fragment {
	readonly kind: string;
	readonly role: FragmentRole;
	readonly origin: FragmentOrigin;
	readonly text: string;
	/** What the user reads about it, in a few words. */
	readonly summary: string;
}

export interface FragmentKind<D> {
	/** Persisted: never renamed. */
	readonly kind: string;
	readonly role: FragmentRole;
	/** Persisted: never renamed. */
	readonly tag: string;
	readonly origin: FragmentOrigin;
	readonly maxChars: number;
	readonly about: string;
	readonly of: (data: D) => Fragment;
}

/** Declares a kind of fragment: data in, bounded and escaped text between its tags out. */
export function defineFragment<D>(shape: {
	readonly kind: string;
	readonly role: FragmentRole;
	readonly tag: string;
	readonly origin: FragmentOrigin;
	readonly maxChars: number;
	readonly about: string;
	readonly summary: (data: D) => string;
	/** Tag attributes; values are escaped here. */
	readonly attributes?: (data: D) => Readonly<Record<string, string>>;
	/** Lines of the body. Escape whatever did not come from this file with `escapeText`. */
	readonly body: (data: D) => string;
}): FragmentKind<D> {
	const { kind, role, tag, origin, maxChars, about } = shape;
	const of = (data: D): Fragment => {
		const attributes = Object.entries(shape.attributes?.(data) ?? {}).map(
			([name, value]) => ` ${name}="${escapeText(value).replaceAll('"', "&quot;")}"`,
		);
		const body = truncateChars(shape.body(data), maxChars);
		const text = `<${tag}${attributes.join("")}>\n${body}\n</${tag}>`;
		return { kind, role, origin, text, summary: shape.summary(data) };
	};
	return { kind, role, tag, origin, maxChars, about, of };
}

/** Names and paths come from outside: none of them can open or close a tag. */
export function escapeText(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function truncateChars(text: string, max: number): string {
	return text.length <= max ? text : `${text.slice(0, max)}\n[cut: ${text.length - max} more characters]`;
}
