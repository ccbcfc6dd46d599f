import {
	type ApprovalAnswer,
	type ApprovalDecision,
	type ApprovalRequest,
	savedRules,
} from "../../agent-host/protocol/approval/approval.ts";
import type { CommandRule, ServerToolRule } from "../../agent-host/protocol/settings/policy-settings.ts";
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
	/** Saves rules that allow commands. */
	readonly saveRules: (rules: readonly CommandRule[]) => Promise<void>;
	readonly saveReading: (paths: readonly string[]) => Promise<void>;
	readonly saveServerTool: (rule: ServerToolRule) => Promise<void>;
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
			const problem = await save(request, decision);
			resolve?.({ decision, digest, ...(note === undefined || note === "" ? {} : { note }) });
			return problem;
		},
	};

	// If saving the rule fails, the call is allowed anyway, as the user said; the failure is reported.
	async function save(request: ApprovalRequest, decision: ApprovalDecision): Promise<string | undefined> {
		// The rules that the host offered; the page cannot change them.
		const rules = savedRules(request.subject, decision);
		try {
			if (rules.length > 0) await options.saveRules(rules);
			if (decision !== "allowRule") return undefined;
			if (request.subject.kind === "permission") await options.saveReading(request.subject.read);
			if (request.subject.kind === "serverTool") {
				const { server, tool, definition } = request.subject;
				await options.saveServerTool({ server, tool, definition });
			}
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
