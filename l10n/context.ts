import { type Message, t } from "./t.ts";

const NAMES: Readonly<Record<string, Message>> = {
	permissions: "permissions",
	environment: "environment",
	"user-instructions": "instructions",
	"editor-context": "editor",
};

/** What a kind of context is called; a rarer one by its id, without the hyphens. */
export function nameContext(kind: string): string {
	const name = Object.hasOwn(NAMES, kind) ? NAMES[kind] : undefined;
	return name === undefined ? kind.replaceAll("-", " ") : t(name);
}
