import * as z from "zod";
import type { HookEvent, HookOffer } from "../../envelope/envelope.ts";
import { HOOK_EVENTS } from "./hook.ts";

const MAX_COMMAND_CHARS = 10_000;
const MAX_SECONDS = 600;
/** Limit for the hooks of one file. */
const MAX_HOOKS = 64;

const Handler = z.looseObject({
	type: z.string().default("command"),
	command: z.string().min(1).max(MAX_COMMAND_CHARS).optional(),
	timeout: z.number().positive().optional(),
	/** Ours: if it fails or takes too long, the call is blocked. */
	required: z.boolean().optional(),
});

const Group = z.looseObject({
	matcher: z.string().max(1_000).optional(),
	hooks: z.array(z.unknown()).optional(),
});

export interface ParsedHooks {
	readonly hooks: readonly Pick<HookOffer, "event" | "matcher" | "command" | "timeoutMs" | "required">[];
	readonly problems: readonly string[];
}

/** Reads the `hooks` of a file, with or without the level of matchers between event and hooks. */
export function parseHooks(value: unknown, path: string): ParsedHooks {
	const events = z.record(z.string(), z.array(z.unknown())).safeParse(value);
	if (!events.success) return { hooks: [], problems: [`${path} is not used: its hooks are not lists by event.`] };
	const hooks: ParsedHooks["hooks"][number][] = [];
	const problems: string[] = [];
	for (const [name, groups] of Object.entries(events.data)) {
		if (!isEvent(name)) {
			problems.push(`${path}: the hooks of ${name} are not used; there is no such event.`);
			continue;
		}
		for (const raw of groups) {
			const group = Group.safeParse(raw).data;
			for (const one of group?.hooks ?? [raw]) {
				const handler = Handler.safeParse(one).data;
				if (handler?.type !== "command" || handler.command === undefined) {
					problems.push(`${path}: a hook of ${name} is not used; only commands are.`);
					continue;
				}
				const { command, timeout, required = false } = handler;
				const timeoutMs = timeout === undefined ? HOOK_EVENTS[name].timeoutMs : Math.min(timeout, MAX_SECONDS) * 1_000;
				// A session's end waits for nobody.
				const most = name === "SessionEnd" ? HOOK_EVENTS.SessionEnd.timeoutMs : timeoutMs;
				hooks.push({
					event: name,
					matcher: group?.matcher ?? "",
					command,
					timeoutMs: Math.min(timeoutMs, most),
					required,
				});
			}
		}
	}
	if (hooks.length > MAX_HOOKS) problems.push(`${path}: only the first ${MAX_HOOKS} hooks are used.`);
	return { hooks: hooks.slice(0, MAX_HOOKS), problems };
}

function isEvent(name: string): name is HookEvent {
	return Object.hasOwn(HOOK_EVENTS, name);
}
