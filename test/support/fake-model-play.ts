import type { ServerResponse } from "node:http";
import * as z from "zod";
import { problemsInGemini } from "./check-gemini-request.ts";
import { problemsInMessages } from "./check-messages-request.ts";
import { problemsInChat, problemsInResponses } from "./check-openai-request.ts";
import { renderChat } from "./fake-model-chat.ts";
import type { Gate } from "./fake-model-gate.ts";
import { renderGemini } from "./fake-model-gemini.ts";
import { renderMessages } from "./fake-model-messages.ts";
import type { RecordedRequest } from "./fake-model-request.ts";
import { renderResponses, renderUsage } from "./fake-model-responses.ts";
import { type Refusal, type Reply, refuses, type Step } from "./fake-model-steps.ts";

/** What a request says about the shape of its answer. */
const AskedFor = z.object({
	model: z.string().default("fake-1"),
	stream_options: z.object({ include_usage: z.boolean().default(false) }).default({ include_usage: false }),
});

export type Wire = "responses" | "compact" | "chat" | "messages" | "gemini";

/** What the documentation of each API says it would refuse. */
const VALIDATORS: Partial<Record<Wire, (body: unknown) => readonly string[]>> = {
	responses: problemsInResponses,
	chat: problemsInChat,
	messages: problemsInMessages,
	gemini: problemsInGemini,
};

/** Answers one request with one step. Returns when the last byte was handed over, or the client is gone. */
export async function play(
	step: Step,
	wire: Wire,
	request: RecordedRequest,
	response: ServerResponse,
	takes: "ours" | "all" = "ours",
): Promise<void> {
	const isRefused = step.kind === "refusal" || step.kind === "rawRefusal";
	const problems = isRefused || takes === "all" ? [] : (VALIDATORS[wire]?.(request.body) ?? []);
	if (problems.length > 0)
		return playRefusal(refuses(400, "invalid_request_error", problems.join("; ")), request, response);
	switch (step.kind) {
		case "hang":
			return request.closed;
		case "refusal":
			return playRefusal(step, request, response);
		case "raw":
			startStream(response).end(step.body);
			return;
		case "pour":
			return playPour(step, response);
		case "compressed":
			response.setHeader("content-encoding", "gzip");
			startStream(response).end(step.body);
			return;
		case "rawRefusal":
			response.writeHead(step.status, { "content-type": "application/json" }).end(step.body);
			return;
		case "sealed":
			response.writeHead(200, { "content-type": "application/json" }).end(renderCompacted(step, request));
			return;
		case "reply":
			return playReply(step, wire, request, response);
	}
}

/** Renders a reply that will be asked for later, so that the rendering is not part of what is measured. */
export function prerender(step: Step, wire: Wire): void {
	if (step.kind === "reply" && step.prerendered) renderWhole(step, wire);
}

function playRefusal(step: Refusal, request: RecordedRequest, response: ServerResponse): void {
	const key = request.headers.authorization?.replace(/^Bearer /, "") ?? request.headers["x-goog-api-key"] ?? "";
	const error = { message: step.message.replace("{key}", key), type: "error", code: step.code, param: null };
	response.writeHead(step.status, { "content-type": "application/json", ...step.headers });
	response.end(JSON.stringify({ error }));
}

/** As the endpoint answers: the user's messages, which nobody needs, and one item that nobody else can read. */
function renderCompacted({ encrypted, usage }: Extract<Step, { kind: "sealed" }>, request: RecordedRequest): string {
	const { input } = z.object({ input: z.array(z.looseObject({ role: z.string().optional() })) }).parse(request.body);
	const output = [
		...input.filter(({ role }) => role === "user"),
		{ id: "cmp_1", type: "compaction", encrypted_content: encrypted },
	];
	return JSON.stringify({ id: "resp_1", object: "response.compaction", output, usage: renderUsage(usage) });
}

async function playPour(step: Extract<Step, { kind: "pour" }>, response: ServerResponse): Promise<void> {
	const piece = Buffer.from(step.piece);
	const gone = new Promise<void>((resolve) => response.once("close", resolve));
	startStream(response).write(step.head);
	for (let sent = 0; sent < step.bytes && !response.destroyed; sent += piece.length) {
		if (response.write(piece)) continue;
		await Promise.race([new Promise<void>((resolve) => response.once("drain", resolve)), gone]);
	}
	if (!response.destroyed) response.end(step.tail);
}

async function playReply(reply: Reply, wire: Wire, request: RecordedRequest, response: ServerResponse): Promise<void> {
	startStream(response, reply.headers);
	if (reply.prerendered) {
		response.end(renderWhole(reply, wire));
		return;
	}
	if (reply.ending.kind === "cut") {
		const whole = [...render(reply, wire, request)].filter((frame) => typeof frame === "string").join("");
		const piece = Buffer.from(whole).subarray(0, reply.ending.bytes);
		await new Promise((resolve) => response.write(piece, resolve));
		request.answeredAt = performance.now();
		response.destroy();
		return;
	}
	for (const frame of render(reply, wire, request)) {
		if (typeof frame === "string") response.write(frame);
		else await Promise.race([frame.pass(), request.closed]);
		if (response.destroyed) return;
	}
	if (reply.ending.kind === "silence") return request.closed;
	response.end();
}

const whole = new WeakMap<Reply, Map<Wire, Buffer>>();

function renderWhole(reply: Reply, wire: Wire): Buffer {
	const known = whole.get(reply) ?? new Map<Wire, Buffer>();
	whole.set(reply, known);
	const body = known.get(wire) ?? Buffer.from([...render(reply, wire, undefined)].join(""));
	known.set(wire, body);
	return body;
}

function render(reply: Reply, wire: Wire, request: RecordedRequest | undefined): Iterable<string | Gate> {
	const { model, stream_options } = AskedFor.parse(request?.body ?? {});
	if (wire === "responses") return renderResponses(reply, model);
	if (wire === "messages") return renderMessages(reply, model);
	if (wire === "gemini") return renderGemini(reply);
	return renderChat(reply, model, stream_options.include_usage);
}

function startStream(response: ServerResponse, headers: Reply["headers"] = {}): ServerResponse {
	const stream = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" };
	return response.writeHead(200, { ...stream, ...headers });
}
