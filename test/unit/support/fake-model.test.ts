import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import OpenAI from "openai";
import { type FakeModel, type Script, startFakeModel } from "../../support/fake-model.ts";
import {
	calls,
	callsAll,
	cutsAfter,
	endsWithoutCompleted,
	errsInStream,
	failsInStream,
	fallsSilentAfter,
	floods,
	hangs,
	holds,
	incomplete,
	refuses,
	retryAfter,
	says,
	sendsGarbage,
	thinks,
	together,
} from "../../support/fake-model-steps.ts";

const ASKED = { model: "m", input: [{ role: "user" as const, content: "x" }], store: false };

test("a Responses stream has the real events in the real order, numbered from 0", async (t) => {
	const { client } = await start(t, [together(thinks("hm"), says("hello", { chunk: 3 }))]);
	const events = await collect(await respond(client));

	assert.deepEqual(
		events.map((event) => event.sequence_number),
		events.map((_, index) => index),
	);
	assert.deepEqual(
		events.map((event) => event.type.replace("response.", "")),
		[
			"created",
			"in_progress",
			"output_item.added",
			"reasoning_summary_part.added",
			"reasoning_summary_text.delta",
			"reasoning_summary_text.done",
			"reasoning_summary_part.done",
			"output_item.done",
			"output_item.added",
			"content_part.added",
			"output_text.delta",
			"output_text.delta",
			"output_text.done",
			"content_part.done",
			"output_item.done",
			"completed",
		],
	);
});

test("the client's own accumulator understands text, reasoning, calls and usage", async (t) => {
	const { client } = await start(t, [
		together(
			thinks("hm"),
			says("hello"),
			callsAll([
				["read_file", { path: "a" }],
				["list_files", "{bad"],
			]),
		),
	]);
	const response = await client.responses.stream(ASKED).finalResponse();

	assert.equal(response.output_text, "hello");
	assert.deepEqual(
		response.output.map((item) => (item.type === "function_call" ? `${item.name} ${item.arguments}` : item.type)),
		["reasoning", "message", 'read_file {"path":"a"}', "list_files {bad"],
	);
	assert.equal(response.usage?.total_tokens, 110);
});

test("Chat Completions streams text, a call and, where asked for, usage", async (t) => {
	const { client } = await start(t, [together(says("hello"), calls("read_file", { path: "a" }))]);
	const stream = client.chat.completions.stream({
		model: "m",
		messages: [{ role: "user", content: "x" }],
		stream_options: { include_usage: true },
	});
	const message = await stream.finalMessage();

	assert.equal(message.content, "hello");
	assert.deepEqual(
		message.tool_calls?.map((call) => call.type === "function" && call.function.arguments),
		['{"path":"a"}'],
	);
	assert.equal((await stream.totalUsage()).total_tokens, 110);
});

test("a held reply stops at its gate until it is released", async (t) => {
	const step = holds("first ", "second");
	const { client } = await start(t, [step]);
	const stream = await respond(client);
	const text: string[] = [];
	const done = (async () => {
		for await (const event of stream) if (event.type === "response.output_text.delta") text.push(event.delta);
	})();
	await step.reached;
	assert.ok(!text.join("").includes("second"));
	step.release();
	await done;
	assert.equal(text.join(""), "first second");
});

test("a request beyond the script gets 599 and is recorded as unexpected", async (t) => {
	const { client, model } = await start(t, []);
	await assert.rejects(respond(client), { status: 599 });
	assert.equal(model.unexpected.length, 1);
});

test("a request is recorded whole, and a client that leaves is noticed", async (t) => {
	const step = holds("a", "b");
	const { client, model } = await start(t, [step]);
	const stream = await respond(client);
	await step.reached;
	stream.controller.abort();
	const request = await model.requestNumber(1);
	await request.closed;

	assert.equal(request.closedByClient, true);
	assert.equal(request.headers.authorization, "Bearer a-key");
	assert.deepEqual(request.body, { ...ASKED, stream: true });
	assert.equal(request.text, JSON.stringify({ ...ASKED, stream: true }));
});

test("refusals carry status, code and Retry-After, and can echo the key as real servers do", async (t) => {
	const { client, model } = await start(t, [refuses(401, "invalid_api_key", "Bad key {key}."), retryAfter(429, 3)]);
	await assert.rejects(respond(client), { status: 401, code: "invalid_api_key", message: "401 Bad key a-key." });
	await assert.rejects(respond(client), (error: InstanceType<typeof OpenAI.APIError>) => {
		return error.status === 429 && error.headers?.get("retry-after") === "3";
	});
	await Promise.all(model.requests.map((request) => request.closed));
	assert.deepEqual(
		model.requests.map((request) => request.closedByClient),
		[false, false],
	);
});

test("a cut ends the body at the given byte, and is not mistaken for a disconnecting client", async (t) => {
	const { model } = await start(t, [cutsAfter("some text", 100)]);
	const response = await fetch(`${model.baseUrl}/responses`, {
		method: "POST",
		body: JSON.stringify({ ...ASKED, stream: true }),
	});
	let bytes = 0;
	await assert.rejects(async () => {
		for await (const chunk of response.body ?? []) bytes += (chunk as Uint8Array).length;
	}, /terminated/);
	assert.equal(bytes, 100);
	assert.equal(model.requests[0]?.closedByClient, false);
});

test("faults inside a stream look like the real ones", async (t) => {
	const { client } = await start(t, [
		endsWithoutCompleted("half"),
		failsInStream("context_length_exceeded"),
		incomplete("max_output_tokens", "half"),
		errsInStream("server_error"),
		sendsGarbage(),
	]);
	const last = async () => (await collect(await respond(client))).at(-1);
	assert.equal((await last())?.type, "response.output_item.done");
	const failed = await last();
	assert.equal(failed?.type === "response.failed" && failed.response.error?.code, "context_length_exceeded");
	const cut = await last();
	assert.equal(cut?.type === "response.incomplete" && cut.response.incomplete_details?.reason, "max_output_tokens");
	await assert.rejects(last(), OpenAI.APIError);
	await assert.rejects(last());
});

test("a hanging server is stopped by stop()", async (t) => {
	const { client, model } = await start(t, [hangs(), fallsSilentAfter("half")]);
	const never = assert.rejects(respond(client));
	await model.requestNumber(1);
	const silent = collect(await respond(client));
	const half = assert.rejects(silent);
	await model.stop();
	await Promise.all([never, half]);
});

test("20,000 deltas arrive complete", async (t) => {
	const step = floods(20_000);
	const { client } = await start(t, [step]);
	const response = await collect(await respond(client));
	const text = response.map((event) => (event.type === "response.output_text.delta" ? event.delta : "")).join("");
	assert.equal(text, step.text);
});

test("models are listed outside the script", async (t) => {
	const { client, model } = await start(t, []);
	assert.deepEqual(
		(await client.models.list()).data.map(({ id }) => id),
		["fake-1", "fake-2"],
	);
	assert.equal(model.others.length, 1);
});

async function start(t: TestContext, script: Script): Promise<{ model: FakeModel; client: OpenAI }> {
	const model = await startFakeModel(script);
	t.after(() => model.stop());
	const options = { apiKey: "a-key", baseURL: model.baseUrl, maxRetries: 0, logLevel: "off" } as const;
	return { model, client: new OpenAI(options) };
}

function respond(client: OpenAI) {
	return client.responses.create({ ...ASKED, stream: true });
}

async function collect<T>(stream: AsyncIterable<T>): Promise<readonly T[]> {
	const all: T[] = [];
	for await (const one of stream) all.push(one);
	return all;
}
