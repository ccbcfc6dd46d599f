import { loadHookFile } from "../../capabilities/hooks/find.ts";
import { matches } from "../../capabilities/hooks/match.ts";
import { type HookEffect, joinEffects, readHookAnswer } from "../../capabilities/hooks/read-answer.ts";
import { type HookFields, writeHookInput } from "../../capabilities/hooks/write-input.ts";
import { findPluginChange } from "../../capabilities/plugins/trust.ts";
import type { HookEvent, HookOffer } from "../../envelope/envelope.ts";
import { ItemId } from "../../protocol/ids.ts";
import { say } from "../../protocol/say.ts";
import type { CallItem } from "../../protocol/thread/item.ts";
import { readableIn } from "../../workspace/files/readable.ts";
import type { HookEnd } from "../brought/run-hook.ts";
import { writeTitle } from "../thread/call-title.ts";
import type { Turn } from "../thread/running-turn.ts";

/** What hooks need of a turn. */
export type HookContext = Pick<Turn, "thread" | "envelope" | "tools" | "ports" | "isTrusted" | "runHook" | "signal">;

const MAX_OUTPUT_CHARS = 20_000;

/** Events at which a required hook that fails blocks. */
const JUDGING: readonly HookEvent[] = ["PreToolUse", "PermissionRequest", "UserPromptSubmit"];
const UNTRUSTED = "A required hook cannot run: the workspace is no longer trusted.";

function isNeeded(event: HookEvent, hooks: readonly HookOffer[]): boolean {
	return JUDGING.includes(event) && hooks.some(({ required }) => required);
}

/**
 * Runs the hooks of an event at once, each as an item of its turn, and says what they want together. `subject` is what
 * matchers are compared with.
 */
export async function runHooks(
	turn: HookContext,
	event: HookEvent,
	fields: HookFields,
	subject = "",
): Promise<HookEffect> {
	const hooks = findHooks(turn, event).filter(({ matcher }) => matches(matcher, subject));
	if (hooks.length === 0) return {};
	if (!turn.isTrusted()) return isNeeded(event, hooks) ? { block: UNTRUSTED } : {};
	const input = writeHookInput(event, turn.envelope, fields);
	const effects = await Promise.all(hooks.map((hook) => runAsItem(turn, hook, input)));
	turn.signal.throwIfAborted();
	const all = joinEffects(effects);
	if (all.notice !== undefined) await warn(turn, all.notice);
	return all;
}

/** Runs the hooks for the end of a session, after its last turn: they can change nothing more, so only failures are logged. */
export async function runEndHooks(turn: HookContext): Promise<void> {
	const reason = "other";
	const hooks = findHooks(turn, "SessionEnd").filter(({ matcher }) => matches(matcher, reason));
	if (hooks.length === 0 || !turn.isTrusted()) return;
	const input = writeHookInput("SessionEnd", turn.envelope, { reason });
	// The turn's own signal may have ended with it; each hook has its time limit.
	const { signal } = new AbortController();
	for (const end of await Promise.all(hooks.map((hook) => run({ ...turn, signal }, hook, input)))) {
		const failure = "failure" in end ? end.failure : readHookAnswer("SessionEnd", end).failure;
		if (failure !== undefined) turn.ports.log("warning", `A SessionEnd hook failed. ${failure}`);
	}
}

/** The hooks of a turn for an event. */
export function findHooks({ envelope }: Pick<Turn, "envelope">, event: HookEvent): readonly HookOffer[] {
	return envelope.capabilities.hooks.filter((hook) => hook.event === event);
}

async function runAsItem(turn: HookContext, hook: HookOffer, input: string): Promise<HookEffect> {
	const { thread, envelope, ports } = turn;
	const { turnId } = envelope.identity;
	const item: CallItem = {
		kind: "hook",
		id: ItemId.parse(ports.newId()),
		callId: `hook-${ports.newId()}`,
		name: hook.event,
		arguments: hook.command,
		...writeTitle(say("call-hook", { event: hook.event, command: hook.command })),
		status: "running",
	};
	await thread.commit([{ kind: "event", event: { type: "itemStarted", turnId, item } }], "unsynced");
	const end = await run(turn, hook, input);
	const effect: HookEffect = "failure" in end ? { failure: end.failure } : readHookAnswer(hook.event, end);
	const isFailed = effect.failure !== undefined;
	const done: CallItem = { ...item, status: isFailed ? "failed" : "completed", output: describe(end, effect) };
	await thread.commit([{ kind: "event", event: { type: "itemCompleted", turnId, item: done } }], "unsynced");
	if (!isFailed || !isNeeded(hook.event, [hook])) return effect;
	return { block: `A required hook failed. ${effect.failure}` };
}

async function run(turn: HookContext, hook: HookOffer, input: string): Promise<HookEnd> {
	const policy = await turn.tools.policy();
	if (hook.origin === "workspace") {
		const { root, origin, path, digest } = hook;
		const file = await loadHookFile(path, { root, origin, readable: readableIn(policy) });
		if (file?.digest !== digest)
			return { failure: `${path}, or a script that it names, has changed since you allowed it.` };
	}
	const changed = hook.plugin && (await findPluginChange(hook.plugin));
	if (changed !== undefined) return { failure: changed };
	return turn.runHook(hook, input, { policy, owner: turn.envelope.identity.threadId }, turn.signal);
}

/** What the transcript keeps of a run. */
function describe(end: HookEnd, { failure }: HookEffect): string {
	const written = "failure" in end ? [] : [end.stdout.trim(), end.stderr.trim()];
	const text = [...(failure === undefined ? [] : [failure]), ...written].filter((part) => part !== "").join("\n");
	return text.length <= MAX_OUTPUT_CHARS ? text : `${text.slice(0, MAX_OUTPUT_CHARS)}\n[cut]`;
}

async function warn({ thread, envelope }: HookContext, message: string): Promise<void> {
	const { turnId } = envelope.identity;
	await thread.commit([{ kind: "event", event: { type: "warning", turnId, code: "hook", message } }], "unsynced");
}
