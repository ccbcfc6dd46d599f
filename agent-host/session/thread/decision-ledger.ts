import { type ApprovalRequest, type ApprovalSubject, savedRules } from "../../protocol/approval/approval.ts";
import type { Decision, LedgerEntry } from "../../protocol/approval/ledger.ts";
import { nameSubject } from "../../protocol/approval/name-subject.ts";
import type { Said } from "../../protocol/say.ts";
import type { PublishedEvent, ThreadEvent } from "../../protocol/thread/events.ts";
import { writeTitle } from "./call-title.ts";
import type { LiveThread } from "./live-thread.ts";
import type { Turn } from "./running-turn.ts";

type Resolved = Extract<ThreadEvent, { readonly type: "approvalResolved" }>;

/** Limit for the newest events that are read, however few decisions are among them. */
const MAX_EVENTS = 20_000;
/** Events read at a time. */
const PAGE_EVENTS = 2_000;

export interface Ledger {
	readonly entries: LedgerEntry[];
	readonly cut: boolean;
}

/** Records a decision that needed no approval. Not synced to disk: if the turn dies, its call is cut off anyway. */
export function recordDecision(
	{ thread, envelope }: Pick<Turn, "thread" | "envelope">,
	{ what, ...decision }: Omit<Decision, "what" | "whatSaid"> & { readonly what: Said },
): Promise<void> {
	const event = { type: "decided", turnId: envelope.identity.turnId, ...decision, ...asWhat(what) } as const;
	return thread.commit([{ kind: "event", event }], "unsynced");
}

/** The newest decisions of a thread from its records. Only the running host knows which grants are still in force. */
export async function readLedger(
	{ events, grants }: Pick<LiveThread, "events" | "grants">,
	limit: number,
): Promise<Ledger> {
	const newest: PublishedEvent[] = [];
	let before = events.last() + 1;
	while (before > 1 && newest.length < MAX_EVENTS) {
		const page = await events.read({ after: 0, before, limit: PAGE_EVENTS });
		newest.push(...page.toReversed());
		before = page[0]?.seq ?? 1;
		if (listDecisions(newest, grants).length > limit) break;
	}
	const found = listDecisions(newest, grants);
	return { entries: found.slice(0, limit), cut: before > 1 || found.length > limit };
}

/** Revokes a grant; the record is written before it takes effect. */
export async function revokeGrant(
	{ grants, commit }: Pick<LiveThread, "grants" | "commit">,
	digest: string,
): Promise<boolean> {
	// Immediately: while it is recorded, nothing may run under it.
	if (!grants.delete(digest)) return false;
	await commit([{ kind: "event", event: { type: "grantRevoked", digest } }], "synced");
	return true;
}

/** The decisions among events in newest-first order, so that an answer comes before its request. */
export function listDecisions(events: readonly PublishedEvent[], grants: ReadonlySet<string>): LedgerEntry[] {
	const answers = new Map<string, Resolved>();
	return events.flatMap(({ seq = 1, at, event }): readonly LedgerEntry[] => {
		if (event.type === "decided") {
			const { type: _, ...decision } = event;
			return [{ ...decision, seq, at }];
		}
		if (event.type === "approvalResolved") answers.set(event.approvalId, event);
		if (event.type !== "approvalRequested") return [];
		const answer = answers.get(event.request.approvalId);
		return answer === undefined ? [] : [answered(event.request, answer, { seq, at }, grants)];
	});
}

function answered(
	request: ApprovalRequest,
	{ decision, by, note }: Resolved,
	when: Pick<LedgerEntry, "seq" | "at">,
	grants: ReadonlySet<string>,
): LedgerEntry {
	const { turnId, callId, reason, reasonSaid, subject, grant: digest = request.digest } = request;
	const rules = savedRules(subject, decision);
	const host = decision === "allowRule" && subject.kind === "network" ? subject.rule : undefined;
	const serverTool = decision === "allowRule" ? serverToolOf(subject) : undefined;
	const grant = decision === "allowThread" ? (grants.has(digest) ? "inForce" : "over") : undefined;
	return {
		...{ ...when, turnId, callId, ...asWhat(nameSubject(subject)), decision, by, reason, digest },
		...(reasonSaid && { reasonSaid }),
		...(rules.length > 0 && { rules: [...rules] }),
		...(host && { host }),
		...(serverTool && { serverTool }),
		...(note !== undefined && { note }),
		...(grant && { grant }),
	};
}

function serverToolOf(subject: ApprovalSubject): LedgerEntry["serverTool"] {
	if (subject.kind !== "serverTool") return undefined;
	const { server, tool, definition } = subject;
	return { server, tool, definition };
}

function asWhat(said: Said): Pick<Decision, "what" | "whatSaid"> {
	const { title, titleSaid } = writeTitle(said);
	return { what: title, ...(titleSaid && { whatSaid: titleSaid }) };
}
