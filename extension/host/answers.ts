import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import { type ApprovalAnswer, type ApprovalRequest, approvalAsk } from "../../agent-host/protocol/approval.ts";
import { documentSave } from "../../agent-host/protocol/document.ts";
import { secretGet } from "../../agent-host/protocol/host.ts";
import type { ResultOf } from "../../agent-host/protocol/method.ts";
import { type QuestionAnswer, type QuestionRequest, questionAsk } from "../../agent-host/protocol/question.ts";
import type { Secret } from "../facts/keys.ts";
import { serveEditorModels } from "./editor-models.ts";

/** Who knows what the host may ask for. */
export interface Answers {
	readonly secret: (provider: string, origin: string) => Thenable<Secret | undefined>;
	/** Asks the user; fails when the token says that the host no longer wants to know. */
	readonly ask: (request: ApprovalRequest, withdrawn: vscode.CancellationToken) => Promise<ApprovalAnswer>;
	/** The same for how a turn should go on. */
	readonly question: (request: QuestionRequest, withdrawn: vscode.CancellationToken) => Promise<QuestionAnswer>;
}

/** Answers what the host asks of the editor and its user. */
export function answerHost(client: LanguageClient, answers: Answers): void {
	client.onRequest(secretGet.name, async (raw: unknown): Promise<ResultOf<typeof secretGet>> => {
		const { provider, origin } = secretGet.params.parse(raw);
		return (await answers.secret(provider, origin)) ?? {};
	});
	serveEditorModels(client);
	client.onRequest(documentSave.name, async (raw: unknown): Promise<ResultOf<typeof documentSave>> => {
		const { uri } = documentSave.params.parse(raw);
		const document = vscode.workspace.textDocuments.find(
			(open) => client.code2ProtocolConverter.asUri(open.uri) === uri,
		);
		return { saved: document !== undefined && (await document.save()) };
	});
	client.onRequest(questionAsk.name, (raw: unknown, withdrawn: vscode.CancellationToken) =>
		answers.question(questionAsk.params.parse(raw), withdrawn),
	);
	client.onRequest(approvalAsk.name, (raw: unknown, withdrawn: vscode.CancellationToken) =>
		answers.ask(approvalAsk.params.parse(raw), withdrawn),
	);
}
