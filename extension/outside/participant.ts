import * as vscode from "vscode";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { turnInterrupt } from "../../agent-host/protocol/thread/turn.ts";
import { t } from "../../l10n/t.ts";
import { describeFailure } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";
import type { VitrineApi } from "./vitrine-api.ts";

/** As the manifest names it. */
const PARTICIPANT = "vitrine.agent";

/** `@vitrine` in the editor's own chat: each conversation there is a thread here, with its permissions and approvals. */
export function registerParticipant(host: Pick<HostClient, "request">, api: VitrineApi): vscode.Disposable {
	const answer: vscode.ChatRequestHandler = async (request, context, stream, token) => {
		try {
			const threadId = findThread(context.history) ?? (await api.start());
			const message = await answerIn(threadId, request.prompt, stream, token);
			const metadata = { threadId };
			return message === undefined ? { metadata } : { metadata, errorDetails: { message } };
		} catch (error) {
			return { errorDetails: { message: describeFailure(error) } };
		}
	};
	/** Resolves when the turn has ended, with the reason if it failed. */
	const answerIn = async (
		threadId: string,
		prompt: string,
		stream: vscode.ChatResponseStream,
		token: vscode.CancellationToken,
	): Promise<string | undefined> => {
		const ended = Promise.withResolvers<string | undefined>();
		const following = api.follow(threadId, (event) => {
			if (event.type === "text") stream.markdown(event.text);
			else if (event.type === "ended") ended.resolve(event.message);
			else {
				stream.progress(t("Waiting for your answer in the Vitrine chat"));
				void api.open(threadId);
			}
		});
		const stop = (): void =>
			void host.request(turnInterrupt, { threadId: ThreadId.parse(threadId) }).catch(() => undefined);
		const stopping = token.onCancellationRequested(stop);
		try {
			await api.send(threadId, prompt);
			// The user may have stopped it before there was a turn.
			if (token.isCancellationRequested) stop();
			return await ended.promise;
		} finally {
			following.dispose();
			stopping.dispose();
		}
	};
	const participant = vscode.chat.createChatParticipant(PARTICIPANT, answer);
	participant.iconPath = new vscode.ThemeIcon("comment-discussion");
	return participant;
}

/** The thread of this conversation, as an earlier answer in it names it. */
function findThread(history: vscode.ChatContext["history"]): string | undefined {
	const answers = history.filter((turn) => turn instanceof vscode.ChatResponseTurn && turn.participant === PARTICIPANT);
	const named = answers.map((turn) => (turn as vscode.ChatResponseTurn).result.metadata?.threadId);
	return named.findLast((threadId) => typeof threadId === "string");
}
