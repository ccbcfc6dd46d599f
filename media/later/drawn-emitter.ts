import type { Emitter } from "highlight.js";
import type { Drawn } from "./drawn.ts";

interface Frame {
	readonly scope: string;
	readonly children: Drawn[];
}

/** Builds elements from the highlighter's events; the library's own emitter would build an HTML string. */
export class DrawnEmitter implements Emitter {
	readonly root: Drawn[] = [];
	readonly #open: Frame[] = [];

	startScope(scope: string): void {
		this.openNode(scope);
	}

	endScope(): void {
		this.closeNode();
	}

	/** The library calls this besides the documented `startScope`. */
	openNode(scope: string): void {
		this.#open.push({ scope, children: [] });
	}

	closeNode(): void {
		const frame = this.#open.pop();
		if (frame) this.#add(...wrap(frame));
	}

	addText(text: string): void {
		if (text !== "") this.#add(text);
	}

	__addSublanguage(emitter: Emitter): void {
		if (emitter instanceof DrawnEmitter) this.#add(...emitter.root);
	}

	finalize(): void {
		while (this.#open.length > 0) this.closeNode();
	}

	toHTML(): string {
		return "";
	}

	#add(...drawn: readonly Drawn[]): void {
		(this.#open.at(-1)?.children ?? this.root).push(...drawn);
	}
}

function wrap({ scope, children }: Frame): readonly Drawn[] {
	const name = findClass(scope);
	return name ? [{ tag: "span", class: name, children }] : children;
}

/** Colour classes by scope, specific names first. Other scopes keep the text colour. */
const CLASSES: Record<string, string> = {
	"title.function": "hl-function",
	"title.class": "hl-type",
	"char.escape": "hl-escape",
	addition: "hl-added",
	attr: "hl-property",
	attribute: "hl-property",
	built_in: "hl-builtin",
	bullet: "hl-keyword",
	code: "hl-string",
	comment: "hl-comment",
	deletion: "hl-removed",
	doctag: "hl-keyword",
	keyword: "hl-keyword",
	link: "hl-string",
	literal: "hl-literal",
	meta: "hl-meta",
	name: "hl-keyword",
	number: "hl-number",
	property: "hl-property",
	quote: "hl-comment",
	regexp: "hl-escape",
	section: "hl-function",
	"selector-attr": "hl-property",
	"selector-class": "hl-type",
	"selector-id": "hl-type",
	"selector-pseudo": "hl-property",
	"selector-tag": "hl-keyword",
	string: "hl-string",
	symbol: "hl-literal",
	"template-variable": "hl-variable",
	title: "hl-function",
	type: "hl-type",
	variable: "hl-variable",
};

function findClass(scope: string): string | undefined {
	const [head = ""] = scope.split(".");
	return CLASSES[scope] ?? CLASSES[scope.split(".").slice(0, 2).join(".")] ?? CLASSES[head];
}
