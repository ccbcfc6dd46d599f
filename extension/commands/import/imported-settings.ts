import { ClientSettings } from "../../../agent-host/protocol/settings/client-settings.ts";
import type { Message } from "../../../l10n/t.ts";

/** A setting of Vitrine that another agent's file has a value for. */
export interface ImportedSetting {
	/** Without `vitrine.`. */
	readonly id: string;
	readonly value: unknown;
	/** The agent could do more with it, or something new is started or contacted: taken only if the user selects it. */
	readonly widens: boolean;
}

/** A setting of the other agent that is not taken. */
export interface LeftOut {
	readonly name: string;
	readonly reason: Message;
}

export interface Imported {
	readonly settings: readonly ImportedSetting[];
	readonly leftOut: readonly LeftOut[];
}

/** What the user has set, or the default; what a workspace sets there does not count. */
export type ReadCurrent = (id: string) => unknown;

/** One setting of the other agent: what it becomes, by the ids of ours, or why it becomes nothing. */
export type Mapped = Readonly<Record<string, unknown>> | Message;

export const NO_SUCH_SETTING = "no such setting in Vitrine" satisfies Message;
export const UNKNOWN_VALUE = "no such value in Vitrine" satisfies Message;
const TOO_LONG = "too long to be shown" satisfies Message;
export const SECRET = "may contain secrets" satisfies Message;
export const FULL_ACCESS = "Full Access can only be granted to a single thread" satisfies Message;

/** Narrower to wider. An approval setting of `never` refuses what is not allowed, so it is the narrowest. */
const RANKS: Readonly<Record<string, readonly unknown[]>> = {
	"permissions.mode": ["readOnly", "ask", "workspaceWrite"],
	"permissions.network": ["off", "allowList", "on"],
	approval: ["never", "untrusted", "onRequest"],
};
/** Whatever they hold adds something to what may be done or where it is sent. */
const ADDING = ["permissions.writableRoots", "permissions.allowedDomains", "servers", "providers"];

/** Nobody agrees to what no dialog can show. */
const MAX_SHOWN_CHARS = 4_000;

/** Sorts what was mapped: valid settings that differ from those in force, and what is left out. */
export function collectImported(
	mapped: readonly (readonly [name: string, to: Mapped])[],
	current: ReadCurrent,
): Imported {
	const settings: ImportedSetting[] = [];
	const leftOut: LeftOut[] = [];
	for (const [name, to] of mapped) {
		if (typeof to === "string") leftOut.push({ name, reason: to });
		else if (!isValid(to)) leftOut.push({ name, reason: UNKNOWN_VALUE });
		else
			for (const [id, value] of Object.entries(to))
				addSetting(settings, { id, value, widens: widens(id, value, current) });
	}
	const isShown = ({ value }: ImportedSetting) => JSON.stringify(value).length <= MAX_SHOWN_CHARS;
	const isNew = ({ id, value }: ImportedSetting) => JSON.stringify(value) !== JSON.stringify(current(id));
	const news = settings.filter(isNew);
	const unseen = news
		.filter((one) => !isShown(one))
		.map(({ id }): LeftOut => ({ name: `vitrine.${id}`, reason: TOO_LONG }));
	return { settings: news.filter(isShown), leftOut: [...leftOut, ...unseen] };
}

/** Entries of one list or table come one by one. */
function addSetting(settings: ImportedSetting[], next: ImportedSetting): void {
	const at = settings.findIndex(({ id, widens }) => id === next.id && widens === next.widens);
	const known = settings[at];
	if (known === undefined) settings.push(next);
	else settings[at] = { ...known, value: joinValues(known.value, next.value) };
}

/** Lists and tables grow, and what is there stays; anything else is replaced. */
export function joinValues(there: unknown, added: unknown): unknown {
	if (Array.isArray(there) && Array.isArray(added)) {
		const known = new Set(there.map((entry) => JSON.stringify(entry)));
		return [...there, ...added.filter((entry) => !known.has(JSON.stringify(entry)))];
	}
	const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
	return isObject(there) && isObject(added) ? { ...Object(added), ...Object(there) } : added;
}

function widens(id: string, value: unknown, current: ReadCurrent): boolean {
	if (ADDING.includes(id)) return true;
	if (id === "permissions.rules") return Array.isArray(value) && value.some((rule) => Object(rule).decision !== "deny");
	const ranks = RANKS[id];
	return ranks !== undefined && ranks.indexOf(value) > ranks.indexOf(current(id));
}

function isValid(settings: Readonly<Record<string, unknown>>): boolean {
	return Object.entries(settings).every(([id, value]) => {
		const nested = id.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
		return ClientSettings.safeParse(nested).success;
	});
}
