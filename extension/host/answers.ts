import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ApprovalAnswer, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { QuestionAnswer, QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { CLIENT_METHODS } from "../../agent-host/protocol/catalog.ts";
import type { Secret } from "../facts/keys.ts";
import type { ClientHandlers } from "./client-handlers.ts";
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
	const handlers: ClientHandlers = {
		...serveEditorModels(client),
		secretGet: async ({ provider, origin }) => (await answers.secret(provider, origin)) ?? {},
		approvalAsk: answers.ask,
		questionAsk: answers.question,
		documentSave: async ({ uri }) => {
			const document = vscode.workspace.textDocuments.find(
				(open) => client.code2ProtocolConverter.asUri(open.uri) === uri,
			);
			return { saved: document !== undefined && (await document.save()) };
		},
	};
	for (const key of Object.keys(CLIENT_METHODS) as (keyof ClientHandlers)[]) {
		const { name, params } = CLIENT_METHODS[key];
		client.onRequest(
			name,
			(raw: unknown, withdrawn: vscode.CancellationToken): Promise<unknown> =>
				// The key comes from the table that types the handlers, and the params are parsed with its schema.
				handlers[key](params.parse(raw) as never, withdrawn),
		);
	}
}
