import type { ApprovalDecision, ApprovalSubject } from "../../protocol/approval/approval.ts";
import type { PartialSettings } from "../../protocol/settings/settings.ts";

/** Limit for the diff on a card. The rest is read with `approval/diff`. */
const MAX_SHOWN_CHARS = 200_000;

/** What a card shows of a subject: all of it, or the beginning of a long diff and its length. */
export function shortenSubject(subject: ApprovalSubject): ApprovalSubject {
	if (subject.kind !== "patch" || subject.diff.length <= MAX_SHOWN_CHARS) return subject;
	const { diff } = subject;
	const end = diff.lastIndexOf("\n", MAX_SHOWN_CHARS);
	const whole = { lines: diff.split("\n").length, characters: diff.length };
	return { ...subject, diff: diff.slice(0, end === -1 ? MAX_SHOWN_CHARS : end), whole };
}

/** The user's choices for one thread. */
type OwnPermissions = PartialSettings["permissions"];

/** The offered answers. Lasting ones are offered only if the card shows everything. */
export function choicesFor(subject: ApprovalSubject, own: OwnPermissions): ApprovalDecision[] {
	const offersRule = mayBeKept(subject, own);
	const offersFolder = offersRule && subject.kind === "command" && subject.rulesFolder !== undefined;
	return [
		"allow",
		...(mayLast(subject) ? (["allowThread"] as const) : []),
		...(offersFolder ? (["allowFolder"] as const) : []),
		...(offersRule ? (["allowRule"] as const) : []),
		"deny",
		"abort",
	];
}

/** A lasting answer goes into the client's settings, which do not count in a thread with its own list. */
function mayBeKept(subject: ApprovalSubject, own: OwnPermissions = {}): boolean {
	switch (subject.kind) {
		case "permission":
			return own.filesystem === undefined;
		case "network":
			return subject.rule !== undefined && own.allowedDomains === undefined;
		case "command":
			return subject.rulesOffered !== undefined && own.rules === undefined;
		case "serverTool":
			return own.serverTools === undefined;
		case "patch":
		case "editorTool":
		case "customizations":
			return false;
	}
}

function mayLast(subject: ApprovalSubject): boolean {
	switch (subject.kind) {
		case "command":
			// Each run outside the sandbox needs a separate approval, and so does each input to a running command.
			return subject.escalated === undefined && subject.input === undefined;
		case "patch":
			return (
				shortenSubject(subject) === subject &&
				subject.files.every((file) => file.protected === undefined && file.binary === undefined)
			);
		// Runs outside the sandbox, so each call needs a separate approval.
		case "editorTool":
		// Its "allow" lasts already.
		case "customizations":
			return false;
		case "permission":
		case "network":
		case "serverTool":
			return true;
	}
}
