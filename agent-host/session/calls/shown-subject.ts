import type { ApprovalDecision, ApprovalSubject } from "../../protocol/approval/approval.ts";

/** Characters of a diff that a card shows. The rest is read with `approval/diff`. */
const MAX_SHOWN_CHARS = 200_000;

/** What a card shows of a subject: all of it, or the beginning of a long diff and how long it is. */
export function shownOf(subject: ApprovalSubject): ApprovalSubject {
	if (subject.kind !== "patch" || subject.diff.length <= MAX_SHOWN_CHARS) return subject;
	const { diff } = subject;
	const end = diff.lastIndexOf("\n", MAX_SHOWN_CHARS);
	const whole = { lines: diff.split("\n").length, characters: diff.length };
	return { ...subject, diff: diff.slice(0, end === -1 ? MAX_SHOWN_CHARS : end), whole };
}

/** The answers that are offered. What lasts is offered only for what the card shows whole. */
export function choicesFor(subject: ApprovalSubject): ApprovalDecision[] {
	const offersRule =
		subject.kind === "permission" ||
		(subject.kind === "network" && subject.rule !== undefined) ||
		(subject.kind === "command" && subject.ruleOffered !== undefined);
	return [
		"allow",
		...(mayLast(subject) ? (["allowThread"] as const) : []),
		...(offersRule ? (["allowRule"] as const) : []),
		"deny",
		"abort",
	];
}

function mayLast(subject: ApprovalSubject): boolean {
	switch (subject.kind) {
		case "command":
			// Each time a command leaves the sandbox is a question of its own, and so is each input of a running one.
			return subject.escalated === undefined && subject.input === undefined;
		case "patch":
			return (
				shownOf(subject) === subject &&
				subject.files.every((file) => file.protected === undefined && file.binary === undefined)
			);
		case "permission":
		case "network":
			return true;
	}
}
