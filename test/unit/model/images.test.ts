import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import type { ModelRequest } from "../../../agent-host/model/port.ts";
import { buildRequest } from "../../../agent-host/model/request.ts";
import { toChatBody } from "../../../agent-host/model/wires/chat/chat-body.ts";
import { toEditorMessages } from "../../../agent-host/model/wires/editor/editor-body.ts";
import { messagesBody } from "../../../agent-host/model/wires/messages/messages.ts";
import { lessonFrom } from "../../../agent-host/model/wires/refusals/lessons.ts";
import type { Quirk } from "../../../agent-host/model/wires/refusals/quirks.ts";
import { toResponsesBody } from "../../../agent-host/model/wires/responses/responses-body.ts";
import { withinSight } from "../../../agent-host/model/wires/sight.ts";
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

test("Responses: images stay in the message they came with, in order", () => {
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

test("Chat Completions: images are parts of their message; a message without any stays plain text", () => {
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

test("editor models: images are sent as data", () => {
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

test("no wire sends images to a model that reads none", () => {
	const request = ask({ images: false });
	const sent = [toResponsesBody(request, new Set(), "s"), toChatBody(request, aReader()), toEditorMessages(request)];
	for (const body of sent) {
		const text = JSON.stringify(body);
		assert.equal(text.includes("AAAA"), false);
		assert.equal(text.split("<image_omitted>").length - 1, 3);
	}
});

/** How many images a Messages request has, and how many notes stand for one. */
function countOnMessages(input: readonly HistoryItem[], ...quirks: readonly Quirk[]): readonly number[] {
	const memory = { quirks: () => new Set(quirks), refusedSeals: () => new Set<string>() };
	const body = messagesBody({ baseUrl: "https://api.anthropic.com/v1", memory }, requestOf(input));
	const text = JSON.stringify(body);
	return ['"type":"image"', "<image_omitted>"].map((part) => text.split(part).length - 1);
}

function requestOf(input: readonly HistoryItem[]): ModelRequest {
	return { ...ask({ images: true }), model: "claude-opus-5", input };
}

test("Messages: an image over 8,000 pixels, or over 2,000 among more than 20, is left out with a note", () => {
	const [large, tall] = [anImage({ width: 2_001 }), anImage({ height: 8_001 })];
	const small = Array.from({ length: 19 }, () => anImage({ width: 2_000, height: 2_000 }));
	assert.deepEqual(countOnMessages([...small, large]), [20, 0]);
	assert.deepEqual(countOnMessages([...small, large, large]), [19, 2]);
	assert.deepEqual(countOnMessages([large, tall]), [1, 1]);
});

test("a refusal of an image's size leaves the large ones out, and a second one all of them", () => {
	const path = "messages.7.content.2.image.source.base64";
	const texts = [
		`${path}.data: At least one of the image dimensions exceed max allowed size: 8000 pixels`,
		`${path}.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels`,
		`${path}: image exceeds 5 MB maximum: 5298604 bytes > 5242880 bytes`,
	];
	const body = { messages: [{ role: "user", content: [{ type: "image" }] }] };
	const learn = (text: string, ...quirks: readonly Quirk[]) =>
		lessonFrom({ status: 400, code: undefined, param: undefined, text }, body, new Set(quirks))?.quirks;
	for (const text of texts) {
		assert.deepEqual([learn(text), learn(text, "small-images")], [["small-images"], ["no-images"]]);
		assert.equal(learn(text, "small-images", "no-images"), undefined);
	}
	const sizes = [anImage({ width: 2_001 }), anImage({ data: "A".repeat(5_242_881) }), IMAGE];
	assert.deepEqual(countOnMessages(sizes, "small-images"), [1, 2]);
	assert.deepEqual(countOnMessages(sizes, "small-images", "no-images"), [0, 3]);
	const same = requestOf(sizes);
	assert.equal(withinSight(same, new Set()), same);
});
