import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { ResultOf } from "../../agent-host/protocol/method.ts";
import { policyShow } from "../../agent-host/protocol/thread/context.ts";
import type { HostClient } from "./host-client.ts";

export type PolicyShown = ResultOf<typeof policyShow>;

/** With the thread that it was reported for; none for a new one. */
export type ReportedPolicy = PolicyShown & { readonly threadId: ThreadId | undefined };

/** The policy of the open thread's next turn, as the host reports it. */
export interface PolicyWatch extends vscode.Disposable {
	/** Undefined until the host has reported it, and once it has stopped. */
	readonly current: () => ReportedPolicy | undefined;
	/** That of a thread, which may be another one than the open thread; undefined if the host does not tell. */
	readonly readFor: (threadId: ThreadId | undefined) => Promise<ReportedPolicy | undefined>;
	/** Requests it again if the host is running; never starts the host. */
	readonly refresh: () => void;
	readonly onDidChange: vscode.Event<PolicyShown | undefined>;
}

/** Events after which a turn would use other settings, or find more or less in its context. */
export const POLICY_EVENTS: ReadonlySet<string> = new Set([
	...["settingsChanged", "turnStarted", "turnCompleted", "usage", "rolledBack"],
	...["compactionCompleted", "compactionUndone"],
]);

export function createPolicyWatch(host: HostClient, threadId: () => ThreadId | undefined): PolicyWatch {
	const changed = new vscode.EventEmitter<PolicyShown | undefined>();
	let current: ReportedPolicy | undefined;
	let asked = 0;
	const read = async (id: ThreadId | undefined): Promise<ReportedPolicy | undefined> => {
		const answer = await host
			.request(policyShow, { compiled: false, ...(id === undefined ? {} : { threadId: id }) })
			// For example, no model is set up. The panel says so, and no policy is better than an outdated one.
			.catch(() => undefined);
		return answer === undefined ? undefined : { ...answer, threadId: id };
	};
	const ask = async (): Promise<void> => {
		asked += 1;
		const mine = asked;
		const answer = await read(threadId());
		if (mine !== asked) return;
		current = answer;
		changed.fire(answer);
	};
	const forget = (): void => {
		// An answer that is still on its way is outdated, too.
		asked += 1;
		if (current === undefined) return;
		current = undefined;
		changed.fire(undefined);
	};
	const refresh = (): void => {
		const { state } = host.state();
		if (state === "ready") void ask();
		// Nothing holds any more. One that is started again goes on as before, so what it reported stays until it says more.
		else if (state === "stopped") forget();
	};
	const disposables = [
		changed,
		host.onThreadEvent((event) => {
			if (event.threadId === threadId() && POLICY_EVENTS.has(event.event.type)) refresh();
		}),
		host.onDidChangeState(refresh),
	];
	return {
		current: () => current,
		readFor: async (id) => {
			if (id === threadId()) return current;
			return host.state().state === "ready" ? read(id) : undefined;
		},
		refresh,
		onDidChange: changed.event,
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}
