import type { ApprovalAnswer, ApprovalDecision, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { CommandRule } from "../../agent-host/protocol/settings/policy-settings.ts";
import { t } from "../../l10n/t.ts";

/** The user's decision on one approval, with the digest of what was shown. */
export interface UserAnswer {
	readonly approvalId: string;
	readonly digest: string;
	readonly decision: ApprovalDecision;
	readonly note?: string | undefined;
}

/** Approvals that wait for the user. */
export interface Approvals {
	/** Waits for the user; fails if the host withdraws the request. */
	readonly ask: (request: ApprovalRequest, withdrawn: Withdrawal) => Promise<ApprovalAnswer>;
	/** Passes an answer to the host, once. Returns the reason if it is rejected. */
	readonly answer: (answer: UserAnswer) => Promise<string | undefined>;
	/** Oldest first. */
	readonly pending: () => readonly ApprovalRequest[];
	/** Drops all requests of a host that has ended. */
	readonly dropAll: () => void;
}

/** How a request is withdrawn; VS Code's cancellation tokens fit. */
export interface Withdrawal {
	readonly isCancellationRequested: boolean;
	readonly onCancellationRequested: (listener: () => void) => unknown;
}

interface Waiting {
	readonly request: ApprovalRequest;
	readonly resolve: (answer: ApprovalAnswer) => void;
	readonly reject: (reason: Error) => void;
}

export function createApprovals(options: {
	readonly changed: () => void;
	/** Saves an allow rule for a command. */
	readonly saveRule: (rule: CommandRule) => Promise<void>;
	readonly saveReading: (paths: readonly string[]) => Promise<void>;
	/** Saves an allowed host. */
	readonly saveHost: (rule: string) => Promise<void>;
}): Approvals {
	const waiting = new Map<string, Waiting>();
	const take = (approvalId: string): Waiting | undefined => {
		const found = waiting.get(approvalId);
		if (waiting.delete(approvalId)) options.changed();
		return found;
	};
	const withdraw = (approvalId: string): void => take(approvalId)?.reject(new Error("The question was withdrawn."));
	return {
		pending: () => [...waiting.values()].map(({ request }) => request),
		dropAll: () => {
			for (const approvalId of [...waiting.keys()]) withdraw(approvalId);
		},
		ask: (request, withdrawn) =>
			new Promise((resolve, reject) => {
				if (withdrawn.isCancellationRequested) return reject(new Error("The question was withdrawn."));
				waiting.set(request.approvalId, { request, resolve, reject });
				withdrawn.onCancellationRequested(() => withdraw(request.approvalId));
				options.changed();
			}),
		answer: async ({ approvalId, digest, decision, note }) => {
			const request = waiting.get(approvalId)?.request;
			if (request === undefined) return t("That question is no longer open.");
			if (digest !== request.digest) return t("This request has changed since it was shown. Review it again.");
			if (!request.choices.includes(decision)) return t("That answer is not one of the choices.");
			const { resolve } = take(approvalId) ?? {};
			const rule = decision === "allowRule" ? ruleOffered(request) : undefined;
			const problem = decision === "allowRule" ? await save(request) : undefined;
			resolve?.({ decision, digest, ...(rule && { rule }), ...(note === undefined || note === "" ? {} : { note }) });
			return problem;
		},
	};

	// If saving the rule fails, the call is allowed anyway, as the user said; the failure is reported.
	async function save(request: ApprovalRequest): Promise<string | undefined> {
		const rule = ruleOffered(request);
		try {
			if (rule !== undefined) await options.saveRule(rule);
			if (request.subject.kind === "permission") await options.saveReading(request.subject.read);
			if (request.subject.kind === "network" && request.subject.rule !== undefined) {
				await options.saveHost(request.subject.rule);
			}
			return undefined;
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			return t("Allowed once. The rule couldn't be saved: {0}", reason);
		}
	}
}

/** The rule that the host offered; the page cannot change it. */
function ruleOffered({ subject }: ApprovalRequest): CommandRule | undefined {
	return subject.kind === "command" ? subject.ruleOffered : undefined;
}
