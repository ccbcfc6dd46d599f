import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ApprovalAnswer, ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import type { QuestionAnswer, QuestionRequest } from "../../agent-host/protocol/approval/question.ts";
import { CLIENT_METHODS } from "../../agent-host/protocol/catalog.ts";
import { fileUri } from "../facts/file-uri.ts";
import type { Secret } from "../facts/keys.ts";
import type { ServerInputs } from "../facts/server-inputs.ts";
import type { LanguageHandlers } from "../language/serve-language.ts";
import type { ClientHandlers } from "./client-handlers.ts";
import { serveEditorModels } from "./editor-models.ts";
import { EDITOR_TOOL_HANDLERS } from "./editor-tools.ts";
import type { SignInHandlers } from "./sign-in-handlers.ts";

/** Answers to the host's requests. */
export interface Answers {
	readonly secret: (origin: string) => Thenable<Secret | undefined>;
	/** A value that an MCP server needs. */
	readonly serverInput: ServerInputs["give"];
	/** Signs the user in to MCP servers, and keeps what comes of it. */
	readonly signIn: SignInHandlers;
	/** Asks the user; fails if the host withdraws the request. */
	readonly ask: (request: ApprovalRequest, withdrawn: vscode.CancellationToken) => Promise<ApprovalAnswer>;
	/** Asks the user a question; fails if the host withdraws it. */
	readonly question: (request: QuestionRequest, withdrawn: vscode.CancellationToken) => Promise<QuestionAnswer>;
	/** What language servers and tasks tell. */
	readonly language: LanguageHandlers;
}

/** Registers handlers for the host's requests to the editor and its user. */
export function answerHost(client: LanguageClient, answers: Answers): void {
	const handlers: ClientHandlers = {
		...serveEditorModels(client),
		...EDITOR_TOOL_HANDLERS,
		...answers.language,
		...answers.signIn,
		secretGet: async ({ origin }) => (await answers.secret(origin)) ?? {},
		serverInput: async (asked) => {
			const value = await answers.serverInput(asked);
			return value === undefined ? {} : { value };
		},
		approvalAsk: answers.ask,
		questionAsk: answers.question,
		documentEncoding: async ({ uri }) => {
			// Opened without being shown, as the editor would open it: by its settings, or by what the bytes look like.
			const document = await vscode.workspace
				.openTextDocument(fileUri(client.protocol2CodeConverter.asUri(uri).fsPath))
				.then(undefined, () => undefined);
			return document === undefined ? {} : { encoding: document.encoding };
		},
		documentUnsaved: async ({ uri }) => {
			// As the editor writes it: the host leaves brackets and commas as they are, and the letter of a drive.
			const asked = client.protocol2CodeConverter.asUri(uri);
			const names = [asked, fileUri(asked.fsPath)].map(String);
			const open = [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments];
			return { isUnsaved: open.some((one) => one.isDirty && names.includes(one.uri.toString())) };
		},
	};
	for (const key of Object.keys(CLIENT_METHODS) as (keyof ClientHandlers)[]) {
		const { name, params } = CLIENT_METHODS[key];
		client.onRequest(name, async (raw: unknown, cancelled: vscode.CancellationToken): Promise<unknown> => {
			const withdrawal = withdrawWithHost(client, cancelled);
			try {
				// The key comes from the table that types the handlers, and its schema parses the params.
				return await handlers[key](params.parse(raw) as never, withdrawal.token);
			} finally {
				withdrawal.dispose();
			}
		});
	}
}

/** A host that ends withdraws what it has asked for: a model's answer, for one, would be paid for and reach nobody. */
function withdrawWithHost(
	client: Pick<LanguageClient, "onDidChangeState" | "isRunning">,
	cancelled: vscode.CancellationToken,
): vscode.Disposable & { readonly token: vscode.CancellationToken } {
	const source = new vscode.CancellationTokenSource();
	const disposables = [
		source,
		cancelled.onCancellationRequested(() => source.cancel()),
		client.onDidChangeState(() => {
			if (!client.isRunning()) source.cancel();
		}),
	];
	return { token: source.token, dispose: () => vscode.Disposable.from(...disposables).dispose() };
}
