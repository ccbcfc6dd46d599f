import { type ComponentChildren, Fragment, isValidElement, type VNode } from "preact";

/** A drawn tree as nested arrays `[tag, attributes, ...children]`, so that whole trees compare and read well. */
export type Plain = string | readonly [string, Readonly<Record<string, unknown>>, ...Plain[]];

export function toPlain(children: ComponentChildren): Plain[] {
	return joinTexts(flatten(children));
}

function flatten(children: ComponentChildren): Plain[] {
	if (Array.isArray(children)) return children.flatMap(flatten);
	if (!isValidElement(children)) return typeof children === "string" && children !== "" ? [children] : [];
	const { type, props } = children as VNode<Record<string, unknown>>;
	const { children: inner, ...attributes } = props;
	if (type === Fragment) return flatten(inner as ComponentChildren);
	const shown = Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
	return [[String(type), shown, ...toPlain(inner as ComponentChildren)]];
}

function joinTexts(nodes: readonly Plain[]): Plain[] {
	const joined: Plain[] = [];
	for (const node of nodes) {
		const last = joined.at(-1);
		if (typeof node === "string" && typeof last === "string") joined[joined.length - 1] = last + node;
		else joined.push(node);
	}
	return joined;
}
