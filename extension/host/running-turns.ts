import * as vscode from "vscode";
import type { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import type { HostClient } from "./host-client.ts";

/** The running turns. */
export interface RunningTurns extends vscode.Disposable {
	readonly runningIn: (threadId: ThreadId) => TurnId | undefined;
}

/** `shown` is the open thread, which the context key `vitrine.turnRunning` is about. */
export function createRunningTurns(
	host: Pick<HostClient, "onThreadEvent" | "onDidChangeState">,
	shown: { readonly threadId: () => ThreadId | undefined; readonly onDidChangeThread: vscode.Event<unknown> },
): RunningTurns {
	const running = new Map<ThreadId, TurnId>();
	let isRunning = false;
	const tell = (): void => {
		const threadId = shown.threadId();
		const now = threadId !== undefined && running.has(threadId);
		if (now === isRunning) return;
		isRunning = now;
		void vscode.commands.executeCommand("setContext", "vitrine.turnRunning", now);
	};
	const disposables = [
		host.onThreadEvent(({ threadId, event }) => {
			if (event.type === "turnStarted") running.set(threadId, event.turnId);
			else if (event.type === "turnCompleted") running.delete(threadId);
			else return;
			tell();
		}),
		// A host that has ended runs no turns.
		host.onDidChangeState(({ state }) => {
			if (state === "ready") return;
			running.clear();
			tell();
		}),
		shown.onDidChangeThread(tell),
	];
	return {
		runningIn: (threadId) => running.get(threadId),
		dispose: () => vscode.Disposable.from(...disposables).dispose(),
	};
}
