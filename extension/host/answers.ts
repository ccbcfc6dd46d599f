import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ApprovalAnswer, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { QuestionAnswer, QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { CLIENT_METHODS } from "../../agent-host/protocol/catalog.ts";
import type { Secret } from "../facts/keys.ts";
import type { ClientHandlers } from "./client-handlers.ts";
import { serveEditorModels } from "./editor-models.ts";

/** Answers to the host's requests. */
export interface Answers {
	readonly secret: (provider: string, origin: string) => Thenable<Secret | undefined>;
	/** Asks the user; fails if the host withdraws the request. */
	readonly ask: (request: ApprovalRequest, withdrawn: vscode.CancellationToken) => Promise<ApprovalAnswer>;
	/** Asks the user a question; fails if the host withdraws it. */
	readonly question: (request: QuestionRequest, withdrawn: vscode.CancellationToken) => Promise<QuestionAnswer>;
}

/** Registers handlers for the host's requests to the editor and its user. */
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
				// The key comes from the table that types the handlers, and its schema parses the params.
				handlers[key](params.parse(raw) as never, withdrawn),
		);
	}
}
