import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { threadAsk } from "../../agent-host/protocol/thread/aside.ts";
import type { ToWebview } from "../../media/wire.ts";
import { describeFailure } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";

/** Relays side questions, which are no part of a thread. */
export interface SideQuestions extends vscode.Disposable {
	readonly ask: (id: string, text: string) => Promise<void>;
	readonly stop: (id: string) => void;
}

export function createSideQuestions(options: {
	readonly host: Pick<HostClient, "request">;
	readonly ensureThread: () => Promise<ThreadId>;
	readonly post: (message: ToWebview) => void;
}): SideQuestions {
	const { host, ensureThread, post } = options;
	const asking = new Map<string, vscode.CancellationTokenSource>();
	return {
		async ask(id, text) {
			const source = new vscode.CancellationTokenSource();
			asking.set(id, source);
			try {
				const threadId = await ensureThread();
				const { tokens: _, ...answer } = await host.request(threadAsk, { threadId, text }, { token: source.token });
				post({ type: "aside", id, answer });
			} catch (error) {
				post({ type: "aside", id, problem: describeFailure(error) });
			} finally {
				asking.delete(id);
				source.dispose();
			}
		},
		stop: (id) => asking.get(id)?.cancel(),
		dispose: () => {
			for (const source of asking.values()) source.cancel();
		},
	};
}
