import * as vscode from "vscode";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { turnInterrupt, type UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { t } from "../../l10n/t.ts";
import { describeFailure, failureKind } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";
import { sendPrompt } from "./create-api.ts";
import { describeHostEnd } from "./follow-thread.ts";
import { readReferences } from "./read-references.ts";
import type { VitrineApi, VitrineEvent } from "./vitrine-api.ts";

/** As the manifest names it. */
const PARTICIPANT = "vitrine.agent";

/** `@vitrine` in the editor's own chat: each conversation there is a thread here, with its permissions and approvals. */
export function registerParticipant(
	host: Pick<HostClient, "request" | "onDidChangeState">,
	api: Pick<VitrineApi, "open" | "start" | "follow">,
): vscode.Disposable {
	const answer: vscode.ChatRequestHandler = async (request, context, stream, token) => {
		let threadId = findThread(context.history);
		try {
			// Read before the thread is created: a failed read must not leave an empty thread.
			const { attached, problems } = await readReferences(request.references);
			for (const problem of problems) stream.markdown(asParagraph(problem));
			threadId ??= await api.start();
			const message = await answerIn(threadId, { prompt: request.prompt, attached }, stream, token);
			const metadata = { threadId };
			return message === undefined ? { metadata } : { metadata, errorDetails: { message } };
		} catch (error) {
			// A conversation whose thread was deleted goes on in a new one.
			const metadata = { threadId: failureKind(error) === "thread-not-found" ? null : threadId };
			return { metadata, errorDetails: { message: describeFailure(error) } };
		}
	};
	/** Resolves when the turn has ended, with the reason if it failed. */
	const answerIn = async (
		threadId: string,
		{ prompt, attached }: { readonly prompt: string; readonly attached: readonly UserInput[] },
		stream: vscode.ChatResponseStream,
		token: vscode.CancellationToken,
	): Promise<string | undefined> => {
		if (token.isCancellationRequested) return undefined;
		const ended = Promise.withResolvers<string | undefined>();
		/** Undefined until the turn has begun: the thread may be busy with another one, which is left alone. */
		let turnId: string | undefined;
		const early: VitrineEvent[] = [];
		const tell = (event: VitrineEvent): void => {
			if (event.turnId !== turnId) return;
			if (event.type === "text") stream.markdown(event.text);
			else if (event.type === "ended") ended.resolve(event.message);
			else {
				stream.progress(t("Waiting for your answer in the Vitrine chat"));
				void api.open(threadId);
			}
		};
		const stop = (): void => {
			if (turnId === undefined) return;
			void host.request(turnInterrupt, { threadId: ThreadId.parse(threadId) }).catch(() => undefined);
		};
		const watches = [
			api.follow(threadId, (event) => void (turnId === undefined ? early.push(event) : tell(event))),
			token.onCancellationRequested(stop),
			// Also one that ends before it has told anything of the turn.
			host.onDidChangeState(({ state }) => {
				if (turnId !== undefined && state !== "ready") ended.resolve(describeHostEnd());
			}),
		];
		try {
			turnId = await sendPrompt(host, threadId, prompt, attached);
			early.forEach(tell);
			// The user may have stopped it before there was a turn.
			if (token.isCancellationRequested) stop();
			return await ended.promise;
		} finally {
			for (const watch of watches) watch.dispose();
		}
	};
	const participant = vscode.chat.createChatParticipant(PARTICIPANT, answer);
	participant.iconPath = new vscode.ThemeIcon("comment-discussion");
	return participant;
}

/** Names of files are in it, and are no Markdown. */
function asParagraph(sentence: string): vscode.MarkdownString {
	return new vscode.MarkdownString().appendText(sentence).appendMarkdown("\n\n");
}

/** The thread of this conversation, as the last answer in it that says so names it. */
function findThread(history: vscode.ChatContext["history"]): string | undefined {
	const answers = history.filter((turn) => turn instanceof vscode.ChatResponseTurn && turn.participant === PARTICIPANT);
	const named = answers.map((turn) => (turn as vscode.ChatResponseTurn).result.metadata?.threadId);
	return named.findLast((threadId) => threadId === null || typeof threadId === "string") ?? undefined;
}
