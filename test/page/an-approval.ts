import type { ApprovalRequest, ApprovalSubject } from "../../agent-host/protocol/approval/approval.ts";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";

type CommandSubject = Extract<ApprovalSubject, { readonly kind: "command" }>;
type PatchSubject = Extract<ApprovalSubject, { readonly kind: "patch" }>;

export function aCommand(change: Partial<CommandSubject> = {}): CommandSubject {
	return {
		kind: "command",
		argv: ["npm", "publish", "--dry-run"],
		cwd: "/repo/app",
		program: "/usr/bin/npm",
		environment: ["HOME", "PATH"],
		sandbox: "none: full access",
		network: "on",
		why: "check the package contents",
		rulesOffered: [{ prefix: ["npm", "publish", "--dry-run"] }],
		...change,
	};
}

export function aPatch(change: Partial<PatchSubject> = {}): PatchSubject {
	return {
		kind: "patch",
		files: [
			{ path: "src/retry.ts", resolved: "/repo/app/src/retry.ts", operation: "update", added: 12, removed: 4 },
			{ path: "notes.md", resolved: "/home/me/.bashrc", operation: "update", added: 1, removed: 0 },
			{ path: "a.ts", resolved: "/repo/app/a.ts", operation: "move", movedTo: "/tmp/b.ts", added: 0, removed: 0 },
		],
		diff: "--- a/src/retry.ts\n+++ b/src/retry.ts\n@@ -1,2 +1,2 @@\n context\n-old line\n+new line\n",
		...change,
	};
}

export function anApproval(change: Partial<ApprovalRequest> = {}): ApprovalRequest {
	return {
		threadId: "thread-1" as ThreadId,
		turnId: "turn-1" as TurnId,
		callId: "call-1",
		approvalId: "a1",
		digest: "9f3c2a81d0c4e5b6",
		reason: "The network is off in this thread.",
		subject: aCommand(),
		choices: ["allow", "allowThread", "allowRule", "deny", "abort"],
		...change,
	};
}
