import { type Message, t } from "./t.ts";

const NAMES: Readonly<Record<string, Message>> = {
	permissions: "permissions",
	environment: "environment",
	"user-instructions": "instructions",
	"editor-context": "editor",
};

const OUR_ID = /^[a-z]+(?:-[a-z]+)*$/;

/** What a kind of context is called; a rarer one by its id, without the hyphens; what is no id of ours as it is. */
export function nameContext(kind: string): string {
	const name = Object.hasOwn(NAMES, kind) ? NAMES[kind] : undefined;
	if (name !== undefined) return t(name);
	return OUR_ID.test(kind) ? kind.replaceAll("-", " ") : kind;
}
