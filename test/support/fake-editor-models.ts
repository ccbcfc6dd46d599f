import {
	type EditorEnd,
	editorModelCountTokens,
	editorModelList,
	editorModelPart,
	editorModelStream,
} from "../../agent-host/protocol/host/editor-models.ts";
import type { ParsedParamsOf } from "../../agent-host/protocol/method.ts";
import type { Step } from "./fake-model-steps.ts";

export type EditorRequest = ParsedParamsOf<typeof editorModelStream>;

/** An editor with models of its own, as far as the host sees one: answers each request with the next step. */
export interface FakeEditorModels {
	readonly requests: readonly EditorRequest[];
	/** Streams the host has cancelled. */
	readonly cancelled: readonly string[];
	/** Texts the host had counted. */
	readonly counted: readonly string[];
	/** The answer to one of the host's requests, or undefined when it is no request for a model. */
	readonly serve: (
		id: number | string,
		method: string,
		params: unknown,
		notify: (method: string, params: unknown) => void,
	) => Promise<unknown> | undefined;
	readonly cancel: (id: number | string) => void;
}

export type EditorStep = Step | EditorEnd;

export const EDITOR_WINDOW = 24_000;

export function fakeEditorModels(script: readonly EditorStep[] | (() => EditorStep)): FakeEditorModels {
	const requests: EditorRequest[] = [];
	const cancelled: string[] = [];
	const counted: string[] = [];
	const running = new Map<number | string, { readonly streamId: string; readonly stop: () => void }>();

	async function stream(
		id: number | string,
		request: EditorRequest,
		notify: (method: string, params: unknown) => void,
	): Promise<EditorEnd> {
		const step = typeof script === "function" ? script() : script[requests.length];
		requests.push(request);
		const stopped = Promise.withResolvers<void>();
		running.set(id, { streamId: request.streamId, stop: stopped.resolve });
		if (step === undefined) return { status: "failed", code: "other", message: "The script has no step for this." };
		if (!("kind" in step)) return step;
		if (step.kind !== "reply") {
			await stopped.promise;
			return CANCELLED;
		}
		const send = (part: unknown) => notify(editorModelPart.name, { streamId: request.streamId, part });
		for (const part of step.parts) {
			if (part.kind === "call") {
				const input: unknown = JSON.parse(part.pieces.join(""));
				send({ kind: "toolCall", callId: part.callId, name: part.name, input });
			} else if (part.kind === "text") {
				for (const piece of part.pieces) {
					if (typeof piece === "string") send({ kind: "text", text: piece });
					else await Promise.race([piece.pass(), stopped.promise]);
				}
			}
		}
		// An editor does not say why its model came to an end.
		if (step.ending.kind === "completed" || step.ending.kind === "incomplete") return { status: "completed" };
		if (step.ending.kind === "silence") await stopped.promise;
		return CANCELLED;
	}

	return {
		requests,
		cancelled,
		counted,
		serve(id, method, params, notify) {
			switch (method) {
				case editorModelList.name:
					return Promise.resolve({
						models: [{ id: "fake-1", name: "Fake", vendor: "test", window: EDITOR_WINDOW }],
					});
				case editorModelCountTokens.name: {
					const { text } = editorModelCountTokens.params.parse(params);
					counted.push(text);
					return Promise.resolve({ tokens: text.length });
				}
				case editorModelStream.name:
					return stream(id, editorModelStream.params.parse(params), notify);
			}
			return undefined;
		},
		cancel(id) {
			const stream = running.get(id);
			if (stream === undefined) return;
			cancelled.push(stream.streamId);
			stream.stop();
		},
	};
}

const CANCELLED: EditorEnd = { status: "failed", code: "cancelled", message: "The editor cancelled the request." };
