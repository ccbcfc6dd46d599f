import { showCustomization } from "../../capabilities/consent/judge-consent.ts";
import { asMessage, say } from "../../protocol/say.ts";
import type { JudgedCustomization } from "../brought/consents.ts";
import { envelopeRecords } from "../start/record-envelope.ts";
import type { Turn } from "../thread/running-turn.ts";
import { requestApproval } from "./ask-approval.ts";

/**
 * Asks about what the workspace brings along and the user has not judged yet, all on one card, before anything of the
 * turn runs. Returns the turn as it continues: what was agreed to is part of its envelope.
 */
export async function agreeOnCustomizations(turn: Turn): Promise<Turn> {
	const { unasked, claim, settle, reseal } = turn.customizations;
	// Another thread may be asking about the same right now.
	const mine = claim(unasked);
	if (mine.length === 0) return turn;
	try {
		if ((await ask(turn, mine)) !== "agreed") return turn;
		await settle(mine, "agreed");
		const resealed = await reseal(turn);
		await turn.thread.commit(envelopeRecords(turn.thread, resealed.envelope), "unsynced");
		if (turn.thread.running !== undefined) {
			turn.thread.running = { ...turn.thread.running, envelope: resealed.envelope };
		}
		return { ...turn, ...resealed };
	} finally {
		turn.customizations.release(mine);
	}
}

async function ask(turn: Turn, unasked: readonly JudgedCustomization[]): Promise<"agreed" | "refused"> {
	const { envelope, ports, customizations } = turn;
	// Then nobody answers.
	if (envelope.policy.value.approval === "never") return notUsed(turn, unasked);
	const approval = await requestApproval(turn, {
		callId: `customizations-${ports.newId()}`,
		title: say("call-use-workspace"),
		reason: say("brought-along"),
		subject: { kind: "customizations", entries: unasked.map(({ one, answer }) => showCustomization(one, answer)) },
	});
	if (approval.state === "aborted") {
		turn.stop();
		throw new DOMException("The user stopped the turn.", "AbortError");
	}
	if (approval.state === "refused") {
		if (approval.by === "host") return notUsed(turn, unasked);
		await customizations.settle(unasked, "refused");
		return "refused";
	}
	return turn.isTrusted() ? "agreed" : notUsed(turn, unasked);
}

/** Seen, not followed, and the user is told. */
async function notUsed({ thread, envelope }: Turn, unasked: readonly JudgedCustomization[]): Promise<"refused"> {
	const { turnId } = envelope.identity;
	const said = say("customizations-unasked", { paths: unasked.map(({ one }) => one.path).join(", ") });
	const event = { type: "warning", turnId, code: "customizations", ...asMessage(said) } as const;
	await thread.commit([{ kind: "event", event }], "unsynced");
	return "refused";
}
