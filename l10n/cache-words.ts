import { nameContext } from "./context.ts";
import { type Message, t } from "./t.ts";

const REASONS = {
	model: "a different model",
	settings: "changed settings",
	tools: "changed tools",
	compaction: "compaction",
	history: "edited history",
	idle: "a pause of over 5 minutes",
	unsaid: "unknown (the provider gave no reason)",
} as const satisfies Readonly<Record<string, Message>>;

const SETTINGS: Readonly<Record<string, Message>> = {
	effort: "changed settings (reasoning effort)",
	instructions: "changed settings (base instructions)",
	schema: "changed settings (answer format)",
};

/** What kept a request from being read from the cache. Threads of older releases only say what differed. */
export function nameCacheMiss({
	reason,
	part = "",
}: {
	readonly reason?: keyof typeof REASONS | undefined;
	readonly part?: string | undefined;
}): string {
	if (reason === undefined) return nameContext(part);
	return t(reason === "settings" ? (SETTINGS[part] ?? REASONS.settings) : REASONS[reason]);
}
