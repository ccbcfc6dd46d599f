import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import { buildRequest } from "../../../agent-host/model/request.ts";
import { toChatBody } from "../../../agent-host/model/wires/chat/chat-body.ts";
import { toEditorMessages } from "../../../agent-host/model/wires/editor/editor-body.ts";
import { toResponsesBody } from "../../../agent-host/model/wires/responses/responses-body.ts";
import { aReader } from "../../support/a-chat-reader.ts";
import { anEnvelope } from "../../support/an-envelope.ts";
import { anImage } from "../../support/an-image.ts";

const IMAGE = anImage({ data: "AAAA" });
const URL = "data:image/png;base64,AAAA";
const INTENT: HistoryItem = { kind: "fragment", fragment: "f", role: "user", origin: "user", text: "Intent." };
const HISTORY: readonly HistoryItem[] = [
	INTENT,
	// A compaction has put its message into the fragment.
	IMAGE,
	{ kind: "agentMessage", text: "Seen." },
	{ kind: "userMessage", text: "Compare." },
	IMAGE,
	IMAGE,
	{ kind: "userMessage", text: "And?" },
];

function ask(abilities: { readonly images: boolean }) {
	const envelope = anEnvelope();
	const sees = { ...envelope.identity.abilities, ...abilities };
	return {
		...buildRequest({ ...envelope, identity: { ...envelope.identity, abilities: sees } }, HISTORY, []),
		instructions: "",
	};
}

test("Responses: images stand in the message that they came with, in order", () => {
	const text = (words: string) => ({ type: "input_text", text: words });
	const image = { type: "input_image", detail: "auto", image_url: URL };
	assert.deepEqual(toResponsesBody(ask({ images: true }), new Set(), "s").input, [
		{ type: "message", role: "user", content: [text("Intent.")] },
		{ type: "message", role: "user", content: [image] },
		{ role: "assistant", content: "Seen." },
		{ type: "message", role: "user", content: [text("Compare."), image, image] },
		{ type: "message", role: "user", content: [text("And?")] },
	]);
});

test("Chat Completions: the same as parts; a message without images stays plain text", () => {
	const image = { type: "image_url", image_url: { url: URL } };
	const compare = [{ type: "text", text: "Compare." }, image, image];
	assert.deepEqual(toChatBody(ask({ images: true }), aReader()).messages, [
		{ role: "user", content: "Intent." },
		{ role: "user", content: [image] },
		{ role: "assistant", content: "Seen." },
		{ role: "user", content: compare },
		{ role: "user", content: "And?" },
	]);
	assert.deepEqual(toChatBody(ask({ images: true }), aReader("other", ["roles-alternate"])).messages, [
		{ role: "user", content: [{ type: "text", text: "Intent." }, image] },
		{ role: "assistant", content: "Seen." },
		{ role: "user", content: [...compare, { type: "text", text: "And?" }] },
	]);
});

test("editor models: the same as data", () => {
	const image = { kind: "image", mediaType: "image/png", data: "AAAA" };
	assert.deepEqual(
		toEditorMessages(ask({ images: true })).map(({ content }) => content),
		[
			[{ kind: "text", text: "Intent." }],
			[image],
			[{ kind: "text", text: "Seen." }],
			[{ kind: "text", text: "Compare." }, image, image],
			[{ kind: "text", text: "And?" }],
		],
	);
});

test("a model that reads no images is sent none on any wire", () => {
	const request = ask({ images: false });
	const sent = [toResponsesBody(request, new Set(), "s"), toChatBody(request, aReader()), toEditorMessages(request)];
	for (const body of sent) {
		const text = JSON.stringify(body);
		assert.equal(text.includes("AAAA"), false);
		assert.equal(text.split("<image_omitted>").length - 1, 3);
	}
});
