import * as vscode from "vscode";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { threadStart } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart, type UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { t } from "../../l10n/t.ts";
import { isFolderOpen, readFolders } from "../facts/folders.ts";
import type { HostClient } from "../host/host-client.ts";
import type { ChatPanel } from "../panel/chat-panel.ts";
import { createThreadFollower } from "./follow-thread.ts";
import { cleanPrefill } from "./prefill-text.ts";
import type { VitrineApi } from "./vitrine-api.ts";

/** The API for other extensions, which run with the user's rights anyway: it gives them the chat, and no approvals. */
export function createApi(
	host: Pick<HostClient, "request" | "onThreadEvent" | "onDidChangeState">,
	panel: Pick<ChatPanel, "showThread" | "focusInput" | "compose">,
): VitrineApi {
	return {
		version: 1,
		open: (threadId) => (threadId === undefined ? panel.focusInput() : panel.showThread(readThreadId(threadId))),
		prefill: async (text) => panel.compose(cleanPrefill(text), [], "write"),
		start: async ({ folder } = {}) => {
			if (folder !== undefined && !isFolderOpen(folder)) {
				throw new Error(t("The folder is not open in this window: {0}", folder));
			}
			const cwd = folder ?? readFolders().first;
			return (await host.request(threadStart, cwd === undefined ? {} : { cwd })).threadId;
		},
		send: (threadId, prompt) => sendPrompt(host, threadId, prompt, []),
		follow: (given, listener) => {
			const threadId = readThreadId(given);
			const { tell, tellOther, tellHostEnded } = createThreadFollower(threadId);
			return vscode.Disposable.from(
				host.onThreadEvent(({ threadId: from, event }) => {
					(from === threadId ? tell(event) : tellOther(from, event)).forEach(listener);
				}),
				host.onDidChangeState(({ state }) => {
					if (state !== "ready") tellHostEnded().forEach(listener);
				}),
			);
		},
	};
}

/** Starts a turn and resolves with its id. */
export async function sendPrompt(
	host: Pick<HostClient, "request">,
	threadId: string,
	prompt: string,
	attached: readonly UserInput[],
): Promise<string> {
	const text = String(prompt).trim();
	if (text === "") throw new Error(t("The prompt is empty."));
	const input: UserInput[] = [{ kind: "text", text }, ...attached];
	const trusted = vscode.workspace.isTrusted;
	return (await host.request(turnStart, { threadId: readThreadId(threadId), input, trusted })).turnId;
}

function readThreadId(given: string): ThreadId {
	const { data } = ThreadId.safeParse(given);
	if (data === undefined) throw new Error(t("“{0}” is not the id of a thread.", String(given)));
	return data;
}
