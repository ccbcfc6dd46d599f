import type { ThreadEvent } from "./events.ts";

/** The calls that the user denied, which their tools report as failed. */
export interface DeniedCalls {
	readonly hear: (event: ThreadEvent) => void;
	readonly has: (callId: string) => boolean;
}

export function createDeniedCalls(): DeniedCalls {
	const asked = new Map<string, string>();
	const denied = new Set<string>();
	return {
		hear: (event) => {
			if (event.type === "approvalRequested") asked.set(event.request.approvalId, event.request.callId);
			if (event.type !== "approvalResolved" || !/^(?:deny|abort)$/.test(event.decision)) return;
			const callId = asked.get(event.approvalId);
			if (callId !== undefined) denied.add(callId);
		},
		has: (callId) => denied.has(callId),
	};
}
