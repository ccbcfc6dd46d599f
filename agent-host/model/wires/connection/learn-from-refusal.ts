import { say } from "../../../protocol/say.ts";
import { ModelFailure } from "../../port.ts";
import type { Lesson } from "../refusals/lesson.ts";
import { lessonFrom, refusesStore } from "../refusals/lessons.ts";
import { lessonOfOutput } from "../refusals/output-lessons.ts";
import { readOverflow } from "../refusals/overflow.ts";
import type { Refusal } from "../refusals/refusal.ts";
import { listSeals, refusesSeals } from "../refusals/sealed-parts.ts";
import type { Question } from "./answer.ts";
import type { ServerAccess } from "./send-request.ts";

const COMPACT_PATH: Question["path"] = "/responses/compact";
/** A server without an endpoint answers with one of these. */
export const NO_ENDPOINT = new Set([404, 405]);

/** Remembers what a refusal reveals about the server, so that the next attempt differs. */
export function learnFrom(
	access: ServerAccess,
	question: Question,
	refusal: Refusal | undefined,
): ModelFailure | undefined {
	if (refusal === undefined) return undefined;
	const { memory } = access;
	const { origin } = new URL(access.baseUrl);
	const body = question.body as Record<string, unknown>;
	const overflow = readOverflow(refusal);
	const learn = ({ quirks, describe }: Lesson): ModelFailure => {
		for (const quirk of quirks) memory.learnQuirk(origin, question.model, quirk);
		const advice = { retryable: true, retryAfterMs: 0, window: overflow?.window };
		return new ModelFailure("bad-request", describe(origin), advice);
	};
	const shorter = lessonOfOutput(refusal, body);
	if (shorter !== undefined) return learn(shorter);
	if (overflow !== undefined) return undefined;
	if (question.path === COMPACT_PATH && NO_ENDPOINT.has(refusal.status ?? 0) && refusal.code !== "model_not_found") {
		memory.learnQuirk(origin, question.model, "no-compact");
		return new ModelFailure("bad-request", say("no-server-compaction", { origin }), { retryable: false });
	}
	if (refusesSeals(refusal)) {
		const seals = listSeals(body);
		// Reasoning only saves the model work. Without it the thread goes on; with it every request would fail.
		if (seals.length > 0) {
			memory.refuseSeals(origin, question.model, seals);
			return new ModelFailure("bad-request", say("quirk-no-seals", { origin }), { retryable: true, retryAfterMs: 0 });
		}
	}
	if (refusesStore(refusal)) {
		return new ModelFailure("bad-request", say("store-required", { origin }), { retryable: false });
	}
	const lesson = lessonFrom(refusal, body, memory.quirks(origin, question.model));
	return lesson && learn(lesson);
}

export function learnWindow(
	{ baseUrl, memory, windowSetting: setting }: ServerAccess,
	{ model }: Question,
	failure: ModelFailure,
): void {
	const { window } = failure;
	if (window !== undefined) memory.learnModel(new URL(baseUrl).origin, model, { learned: { window, setting } });
}
