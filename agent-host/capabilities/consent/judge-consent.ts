import type { ShownCustomization } from "../../protocol/approval/customization.ts";
import { diffLines } from "../../review/diff-lines.ts";
import type { ConsentAnswer, Customization } from "./customization.ts";

/** What the user has said about exactly this content. */
export type Standing = "agreed" | "refused" | "unasked";

/** Unchanged lines around a change. */
const CONTEXT_LINES = 3;

export function judgeConsent({ digest }: Customization, answer: ConsentAnswer | undefined): Standing {
	return answer?.digest === digest ? answer.decision : "unasked";
}

/** For the card: all of it, or what has changed since the user agreed. */
export function showCustomization(one: Customization, answer: ConsentAnswer | undefined): ShownCustomization {
	const { kind, name, path, digest, text } = one;
	const diff = answer?.agreedText === undefined ? "" : showChange(answer.agreedText, text);
	// Equal texts with another digest: the difference cannot be shown as lines, so everything is shown.
	if (diff === "") return { kind, name, path, digest, text, isChange: false };
	return { kind, name, path, digest, text: diff, isChange: true };
}

/** The answer to store. A refusal keeps the text that was agreed to before. */
export function answerWith(
	{ digest, text }: Customization,
	decision: ConsentAnswer["decision"],
	before: ConsentAnswer | undefined,
): ConsentAnswer {
	return { digest, decision, agreedText: decision === "agreed" ? text : before?.agreedText };
}

export function showChange(before: string, now: string): string {
	const [old, fresh] = [before.split("\n"), now.split("\n")];
	return diffLines(old, fresh)
		.map(({ from, to, at, until }) =>
			[
				`@@ -${from + 1},${to - from} +${at + 1},${until - at} @@`,
				...old.slice(Math.max(0, from - CONTEXT_LINES), from).map((line) => ` ${line}`),
				...old.slice(from, to).map((line) => `-${line}`),
				...fresh.slice(at, until).map((line) => `+${line}`),
				...old.slice(to, to + CONTEXT_LINES).map((line) => ` ${line}`),
			].join("\n"),
		)
		.join("\n");
}
