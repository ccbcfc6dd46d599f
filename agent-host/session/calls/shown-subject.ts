import type { ApprovalDecision, ApprovalSubject } from "../../protocol/approval/approval.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";

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

/** What the user chose for one thread alone. */
type OwnPermissions = PartialSettings["permissions"];

/** The answers that are offered. What lasts is offered only for what the card shows whole. */
export function choicesFor(subject: ApprovalSubject, own: OwnPermissions): ApprovalDecision[] {
	const offersRule = mayBeKept(subject, own);
	return [
		"allow",
		...(mayLast(subject) ? (["allowThread"] as const) : []),
		...(offersRule ? (["allowRule"] as const) : []),
		"deny",
		"abort",
	];
}

/** An answer for good goes into the client's settings; in a thread with a list of its own they do not count. */
function mayBeKept(subject: ApprovalSubject, own: OwnPermissions = {}): boolean {
	switch (subject.kind) {
		case "permission":
			return own.filesystem === undefined;
		case "network":
			return subject.rule !== undefined && own.allowedDomains === undefined;
		case "command":
			return subject.ruleOffered !== undefined && own.rules === undefined;
		case "patch":
			return false;
	}
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
