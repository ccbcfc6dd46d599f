import type { UserImage } from "../../../history/history-item.ts";
import type { EditorContent, EditorMessage } from "../../../protocol/host/editor-models.ts";
import type { ModelRequest } from "../../port.ts";
import { type Exchange, toExchanges } from "../exchanges.ts";
import { askInWords, labelled } from "../host-text.ts";
import { wireArguments, wireCallId, wireName } from "../names.ts";

/** A request as editor models accept it: there are only two roles, so host messages are labelled user messages. */
export function toEditorMessages({ instructions, input, outputSchema }: ModelRequest): readonly EditorMessage[] {
	return [
		...(instructions === "" ? [] : [toUserMessage(labelled(instructions))]),
		...toExchanges(input).flatMap(toMessages),
		...(outputSchema === undefined ? [] : [toUserMessage(labelled(askInWords(outputSchema)))]),
	];
}

/** All text of a request or an answer, for the editor's counter. */
export function joinTexts(messages: readonly EditorMessage[]): string {
	return messages
		.flatMap(({ content }) => content)
		.map(textOfPart)
		.join("\n");
}

export function countImages(messages: readonly EditorMessage[]): number {
	return messages.flatMap(({ content }) => content).filter(({ kind }) => kind === "image").length;
}

function textOfPart(part: EditorContent): string {
	switch (part.kind) {
		case "text":
		case "toolResult":
			return part.text;
		case "toolCall":
			return part.name + JSON.stringify(part.input);
		case "image":
			return "";
	}
}

function toMessages(exchange: Exchange): readonly EditorMessage[] {
	switch (exchange.kind) {
		case "host":
			return [toUserMessage(labelled(exchange.text))];
		case "user":
			return [{ role: "user", content: [...textPart(exchange.text), ...exchange.images.map(imagePart)] }];
		case "answer": {
			const calls = exchange.calls.map(({ call }): EditorContent => {
				// `wireArguments` returns an object, whatever the model wrote.
				const args = JSON.parse(wireArguments(call.arguments)) as Record<string, unknown>;
				return { kind: "toolCall", callId: wireCallId(call.callId), name: wireName(call.name), input: args };
			});
			const results = exchange.calls.map(({ call, output }): EditorContent => {
				return { kind: "toolResult", callId: wireCallId(call.callId), text: output };
			});
			const said: EditorMessage = { role: "assistant", content: [...textPart(exchange.text), ...calls] };
			return results.length === 0 ? [said] : [said, { role: "user", content: results }];
		}
	}
}

function textPart(text: string): readonly EditorContent[] {
	return text === "" ? [] : [{ kind: "text", text }];
}

function imagePart({ mediaType, data }: UserImage): EditorContent {
	return { kind: "image", mediaType, data };
}

function toUserMessage(text: string): EditorMessage {
	return { role: "user", content: [{ kind: "text", text }] };
}
