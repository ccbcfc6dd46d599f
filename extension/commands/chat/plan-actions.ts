import type * as vscode from "vscode";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { MAX_PROMPT_CHARS } from "../../../agent-host/protocol/limits.ts";
import { policyShow } from "../../../agent-host/protocol/thread/context.ts";
import { threadSettings, threadStart } from "../../../agent-host/protocol/thread/thread.ts";
import { t } from "../../../l10n/t.ts";
import { onceAtATime } from "../../facts/once-at-a-time.ts";
import { type EditedPlan, writeGoPrompt, writeRevisePrompt } from "../../plan/plan-prompt.ts";
import type { Parts } from "../parts.ts";

export async function openPlan({ plans }: Parts, uri?: unknown): Promise<void> {
	await plans.open(await plans.find(uri));
}

/** Carries the plan out in its own thread, with the user's edits and comments. */
export async function goWithPlan(parts: Parts, uri?: unknown): Promise<void> {
	await answerPlan(parts, uri, async (threadId, plan) => {
		const prompt = write(writeGoPrompt, plan);
		await setMode(parts, threadId, "default");
		await send(parts, threadId, prompt);
		parts.plans.sent(threadId);
	});
}

/** Carries the plan out in a new thread of its folder, which knows nothing but the plan. */
export async function goWithPlanInNewThread(parts: Parts, uri?: unknown): Promise<void> {
	const { host, plans } = parts;
	await answerPlan(parts, uri, async (from, plan) => {
		const prompt = write(writeGoPrompt, plan);
		const { cwd } = await host.request(policyShow, { threadId: from, compiled: false });
		const settings = { modes: { collaboration: "default" } } as const;
		const { threadId } = await host.request(threadStart, { ...(cwd === undefined ? {} : { cwd }), settings });
		// Before the turn: the model's first report must find the plan.
		await plans.copy(threadId, plan.text);
		await send(parts, threadId, prompt);
		plans.sent(from);
	});
}

/** Asks for another plan that takes the user's edits and comments into account. */
export async function revisePlan(parts: Parts, uri?: unknown): Promise<void> {
	await answerPlan(parts, uri, async (threadId, plan) => {
		const prompt = write(writeRevisePrompt, plan);
		await setMode(parts, threadId, "plan");
		await send(parts, threadId, prompt);
	});
}

/** One answer at a time: two would change the same files at once. */
async function answerPlan(
	{ plans }: Parts,
	uri: unknown,
	answer: (threadId: ThreadId, plan: EditedPlan) => Promise<void>,
): Promise<void> {
	const threadId = await plans.find(uri);
	await onceAtATime(`plan ${threadId}`, async () => answer(threadId, await plans.read(threadId)));
}

export async function commentPlan({ plans }: Parts, reply?: unknown): Promise<void> {
	if (typeof reply === "object" && reply !== null && "thread" in reply && "text" in reply) {
		plans.comments.add(reply as vscode.CommentReply);
	}
}

export async function deletePlanComment({ plans }: Parts, from?: unknown): Promise<void> {
	plans.comments.remove(from);
}

function write(how: (plan: EditedPlan) => string, plan: EditedPlan): string {
	const prompt = how(plan);
	if (plan.text.trim() === "") throw new Error(t("The plan is empty. Undo the change, or ask for a plan again."));
	if (prompt.length <= MAX_PROMPT_CHARS) return prompt;
	throw new Error(t("The plan is too long: a prompt can have up to {0} characters.", MAX_PROMPT_CHARS));
}

async function setMode({ host, policy }: Parts, threadId: ThreadId, collaboration: "default" | "plan"): Promise<void> {
	await host.request(threadSettings, { threadId, settings: { modes: { collaboration } } });
	policy.refresh();
}

async function send({ panel }: Parts, threadId: ThreadId, prompt: string): Promise<void> {
	if (panel.threadId() !== threadId) await panel.showThread(threadId);
	await panel.start(prompt, { to: async () => threadId });
}
