// The least a host can do: the same protocol and the same model stream, but no disk, no checks, no context and
// no library. What it costs is what Node and the wire cost.
import { randomUUID } from "node:crypto";
import type { Agent } from "node:http";
import { createFrameReader, frame, type Message } from "../host/rig/wire.ts";

const ipc = process.argv.includes("--node-ipc");
const sequence = new Map<string, number>();
const streams = new Map<string, AbortController>();
let baseUrl = "";
let agent: Agent | undefined;

function send(message: Message): void {
	if (ipc) process.send?.(message);
	else process.stdout.write(frame(JSON.stringify(message)));
}

function publish(threadId: string, event: object, numbered: "durable" | "delta" = "durable"): void {
	const seq = (sequence.get(threadId) ?? 0) + (numbered === "durable" ? 1 : 0);
	sequence.set(threadId, seq);
	const params = { threadId, at: Date.now(), event, ...(numbered === "durable" ? { seq } : {}) };
	send({ jsonrpc: "2.0", method: "thread/event", params });
}

interface Params {
	readonly threadId?: string;
	readonly input?: readonly { readonly text: string }[];
	readonly initializationOptions?: { readonly settings?: { readonly model?: { readonly baseUrl?: string } } };
}

function answer(method: string, params: Params): object | null {
	switch (method) {
		case "initialize":
			baseUrl = params.initializationOptions?.settings?.model?.baseUrl ?? "";
			return { capabilities: {} };
		case "thread/start":
			return { threadId: randomUUID() };
		case "turn/start":
			return startTurn(params.threadId ?? "", params.input?.[0]?.text ?? "");
		case "turn/interrupt":
			streams.get(params.threadId ?? "")?.abort();
			return {};
		default:
			return null;
	}
}

function startTurn(threadId: string, text: string): object {
	const [turnId, itemId] = [randomUUID(), randomUUID()];
	const item = (whole: string) => ({ kind: "agentMessage", id: itemId, text: whole });
	const envelope = { provider: "null", model: "null", window: 0, roots: [], trusted: true, tools: [] };
	const controller = new AbortController();
	streams.set(threadId, controller);
	publish(threadId, { type: "turnStarted", turnId, envelope });
	publish(threadId, { type: "itemStarted", turnId, item: item("") });

	// Not needed to start, so not loaded at start.
	const http = process.getBuiltinModule("node:http");
	agent ??= new http.Agent({ keepAlive: true });
	let said = "";
	let rest = "";
	const end = (status: string) => {
		publish(threadId, { type: "itemCompleted", turnId, item: item(said) });
		publish(threadId, { type: "turnCompleted", turnId, status });
	};
	const options = { method: "POST", agent, signal: controller.signal, headers: { "content-type": "application/json" } };
	const call = http.request(`${baseUrl}/responses`, options, (response) => {
		response.setEncoding("utf8").on("data", (chunk: string) => {
			const lines = (rest + chunk).split("\n");
			rest = lines.pop() ?? "";
			const piece = lines.map(textOf).join("");
			if (piece === "") return;
			const delta = { type: "itemDelta", turnId, itemId, itemKind: "agentMessage", offset: said.length, text: piece };
			publish(threadId, delta, "delta");
			said += piece;
		});
		response.on("end", () => end("completed"));
		response.on("error", () => end("interrupted"));
	});
	call.on("error", () => undefined);
	const input = [{ type: "message", role: "user", content: [{ type: "input_text", text }] }];
	call.end(JSON.stringify({ model: "null", input, stream: true, store: false }));
	return { turnId };
}

function textOf(line: string): string {
	if (!line.startsWith("data: ")) return "";
	const { type, delta } = JSON.parse(line.slice(6)) as { type: string; delta?: string };
	return type === "response.output_text.delta" ? (delta ?? "") : "";
}

function receive(message: Message): void {
	if (message.method === "exit") process.exit(0);
	if (message.method === undefined || message.id === undefined) return;
	const result = answer(message.method, (message.params ?? {}) as Params);
	send({ jsonrpc: "2.0", id: message.id, result });
}

if (ipc) {
	process.on("message", (message) => receive(message as Message));
	process.on("disconnect", () => process.exit(0));
} else {
	process.stdin.on("data", createFrameReader((body) => receive(JSON.parse(body))).push);
	process.stdin.on("end", () => process.exit(0));
}
