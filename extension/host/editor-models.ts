import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import {
	type EditorContent,
	type EditorEnd,
	type EditorMessage,
	editorModelPart,
	type editorModelStream,
} from "../../agent-host/protocol/host/editor-models.ts";
import type { ParsedParamsOf } from "../../agent-host/protocol/method.ts";
import { t } from "../../l10n/t.ts";
import type { ClientHandlers } from "./client-handlers.ts";

/** Serves the editor's models to the host. The editor asks the user for consent on first use. */
export function serveEditorModels(
	client: Pick<LanguageClient, "sendNotification">,
): Pick<ClientHandlers, "editorModelList" | "editorModelCountTokens" | "editorModelStream"> {
	return {
		editorModelList: async () => {
			const models = await vscode.lm.selectChatModels();
			return {
				models: models.map(({ id, name, vendor, maxInputTokens }) => ({ id, name, vendor, window: maxInputTokens })),
			};
		},
		editorModelCountTokens: async ({ model: id, text }, token) => {
			const model = await findModel(id);
			// 0 means unknown; the host then estimates.
			return { tokens: model === undefined ? 0 : await model.countTokens(text, token) };
		},
		editorModelStream: async (request, token) => {
			try {
				return await streamAnswer(client, request, token);
			} catch (error) {
				return describeEnd(error, token);
			}
		},
	};
}

async function streamAnswer(
	client: Pick<LanguageClient, "sendNotification">,
	request: ParsedParamsOf<typeof editorModelStream>,
	token: vscode.CancellationToken,
): Promise<EditorEnd> {
	const model = await findModel(request.model);
	if (model === undefined) return { status: "failed", code: "not-found", message: request.model };
	const tools = request.tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
	const messages = request.messages.map(toChatMessage);
	const justification = t("Vitrine uses this model to answer.");
	const response = await model.sendRequest(messages, { justification, tools }, token);
	for await (const part of response.stream) {
		const plain = toPart(part);
		if (plain !== undefined) {
			await client.sendNotification(editorModelPart.name, { streamId: request.streamId, part: plain });
		}
	}
	// A cancelled stream ends like a complete one.
	if (token.isCancellationRequested) return { status: "failed", code: "cancelled", message: "" };
	return { status: "completed" };
}

async function findModel(id: string): Promise<vscode.LanguageModelChat | undefined> {
	const [model] = await vscode.lm.selectChatModels({ id });
	return model;
}

function toChatMessage({ role, content }: EditorMessage): vscode.LanguageModelChatMessage {
	const kind =
		role === "user" ? vscode.LanguageModelChatMessageRole.User : vscode.LanguageModelChatMessageRole.Assistant;
	return new vscode.LanguageModelChatMessage(kind, content.map(toInputPart));
}

function toInputPart(part: EditorContent): vscode.LanguageModelInputPart {
	switch (part.kind) {
		case "text":
			return new vscode.LanguageModelTextPart(part.text);
		case "toolCall":
			return new vscode.LanguageModelToolCallPart(part.callId, part.name, part.input);
		case "image":
			return vscode.LanguageModelDataPart.image(Buffer.from(part.data, "base64"), part.mediaType);
		case "toolResult":
			return new vscode.LanguageModelToolResultPart(part.callId, [new vscode.LanguageModelTextPart(part.text)]);
	}
}

/** Text and tool calls; other parts are ignored. */
function toPart(part: unknown): object | undefined {
	if (part instanceof vscode.LanguageModelTextPart) return { kind: "text", text: part.value };
	if (part instanceof vscode.LanguageModelToolCallPart) {
		return { kind: "toolCall", callId: part.callId, name: part.name, input: part.input };
	}
	return undefined;
}

/** Maps an error to one of the host's end codes. */
function describeEnd(error: unknown, token: vscode.CancellationToken): EditorEnd {
	const message = error instanceof Error ? error.message : String(error);
	const failed = (code: Extract<EditorEnd, { status: "failed" }>["code"]): EditorEnd => ({
		status: "failed",
		code,
		message,
	});
	if (token.isCancellationRequested || error instanceof vscode.CancellationError) return failed("cancelled");
	if (error instanceof vscode.LanguageModelError) {
		if (error.code === vscode.LanguageModelError.NoPermissions.name) return failed("no-consent");
		if (error.code === vscode.LanguageModelError.NotFound.name) return failed("not-found");
		if (error.code === vscode.LanguageModelError.Blocked.name) return failed("quota");
	}
	// Providers have no codes for these, only messages.
	if (/quota|exceeded your|premium request/i.test(message)) return failed("quota");
	if (/rate.?limit|too many requests/i.test(message)) return failed("rate-limit");
	if (/token limit|context (?:length|window)|too (?:long|many tokens)|exceeds the limit/i.test(message)) {
		return failed("too-long");
	}
	return failed("other");
}
