import type { MessageConnection } from "vscode-jsonrpc/node";
import {
	type EditorPart,
	editorModelCountTokens,
	editorModelList,
	editorModelPart,
	editorModelStream,
} from "../../protocol/host/editor-models.ts";
import type { Ports } from "../../session/ports/ports.ts";
import { askClient } from "./ask-client.ts";

/** The editor's own models, over the connection to the editor. */
export function connectEditorModels(connection: MessageConnection): Ports["editorModels"] {
	const takers = new Map<string, (part: EditorPart) => void>();
	let streams = 0;
	connection.onNotification(editorModelPart.name, (raw: unknown) => {
		const parsed = editorModelPart.params.safeParse(raw);
		// An unknown part, or one of a stream that is no longer read, is ignored.
		if (parsed.success) takers.get(parsed.data.streamId)?.(parsed.data.part);
	});
	return {
		list: async () => (await askClient(connection, editorModelList, {}, undefined)).models,
		countTokens: async (model, text, signal) =>
			(await askClient(connection, editorModelCountTokens, { model, text }, signal)).tokens,
		async stream({ model, messages, tools }, take, signal) {
			streams += 1;
			const streamId = `stream-${streams}`;
			takers.set(streamId, take);
			try {
				const params = { streamId, model, messages: [...messages], tools: [...tools] };
				return await askClient(connection, editorModelStream, params, signal);
			} catch (error) {
				signal.throwIfAborted();
				const message = error instanceof Error ? error.message : String(error);
				return { status: "failed", code: isUnknownMethod(error) ? "unavailable" : "other", message };
			} finally {
				takers.delete(streamId);
			}
		},
	};
}

const METHOD_NOT_FOUND = -32601;

function isUnknownMethod(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === METHOD_NOT_FOUND;
}
