import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { type WireRig, withWire } from "../host/rig/wires.ts";
import type { Step } from "../support/fake-model-steps.ts";
import { says } from "../support/fake-model-steps.ts";

const FULL = process.env.VITRINE_FULL === "1";
const MB = 1_048_576;
/** What the host may take for one stream: a few copies of the 4 MB that it keeps at most, and room for the collector. */
const MOST_GROWTH_MB = 60;

const WIRES = ["responses", "chat", "messages", "gemini"] as const;
type Wire = (typeof WIRES)[number];

const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const block = (delta: object): string => event({ type: "content_block_delta", index: 0, delta });
const parts = (...some: readonly object[]): string => event({ candidates: [{ content: { parts: some } }] });

function textEvent(wire: Wire, text: string): string {
	switch (wire) {
		case "responses":
			return event({ type: "response.output_text.delta", output_index: 0, delta: text });
		case "chat":
			return event({ choices: [{ index: 0, delta: { content: text } }] });
		case "messages":
			return block({ type: "text_delta", text });
		case "gemini":
			return parts({ text });
	}
}

function end(wire: Wire): string {
	const item = { type: "message", content: [{ type: "output_text", text: "Done." }] };
	switch (wire) {
		case "responses":
			return `${event({ type: "response.output_item.done", output_index: 1, item })}${event({ type: "response.completed", response: {} })}`;
		case "chat":
			return `${event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}data: [DONE]\n\n`;
		case "messages":
			return `${event({ type: "message_delta", delta: { stop_reason: "end_turn" } })}${event({ type: "message_stop" })}`;
		case "gemini":
			return event({ candidates: [{ finishReason: "STOP" }] });
	}
}

function argumentsEvent(wire: Wire, text: string): string {
	switch (wire) {
		case "responses":
			return event({ type: "response.function_call_arguments.delta", output_index: 0, delta: text });
		case "chat": {
			const delta = { tool_calls: [{ index: 0, id: "c", function: { name: "read_file", arguments: text } }] };
			return event({ choices: [{ index: 0, delta }] });
		}
		case "messages":
			return block({ type: "input_json_delta", partial_json: text });
		case "gemini":
			return parts({ functionCall: { name: "read_file", args: { path: text } } });
	}
}

/** Sealed data that goes back to the server, and is shown to nobody. */
function sealedEvent(wire: Wire, data: string): string {
	switch (wire) {
		case "responses": {
			const items = Array.from({ length: 100 }, (_, index) => index);
			const item = { type: "reasoning", id: "r", summary: [], encrypted_content: data };
			return items.map((index) => event({ type: "response.output_item.done", output_index: index, item })).join("");
		}
		case "chat":
			return event({ choices: [{ index: 0, delta: { reasoning_details: [{ type: "reasoning.encrypted", data }] } }] });
		case "messages":
			return block({ type: "signature_delta", signature: data });
		case "gemini":
			return parts({ text: "", thoughtSignature: data });
	}
}

/** What opens the piece that the events above belong to, where a wire wants that. */
function opens(wire: Wire, type: "text" | "thinking" | "tool_use"): string {
	const opened = type === "tool_use" ? { type, id: "c", name: "read_file", input: {} } : { type, [type]: "" };
	return wire === "messages" ? event({ type: "content_block_start", index: 0, content_block: opened }) : "";
}

interface Flood {
	readonly what: string;
	readonly step: (wire: Wire) => Step;
	readonly ends: "completed" | RegExp;
}

const SIZE = (FULL ? 200 : 10) * MB;
const pour = (piece: string, bytes: number, tail: string, head = ""): Step => ({
	kind: "pour",
	head,
	piece,
	bytes,
	tail,
});

const FLOODS: readonly Flood[] = [
	{
		what: `${SIZE / MB} MB of events that say nothing`,
		step: (wire) =>
			pour(
				`: ping\n\ndata: {"type":"nothing","x":"${"x".repeat(2_000)}"}\n\n`,
				SIZE,
				opens(wire, "text") + textEvent(wire, "Done.") + end(wire),
			),
		ends: "completed",
	},
	{
		what: "a token repeated for ever",
		step: (wire) => pour(textEvent(wire, "word ".repeat(200)), 1_000 * MB, "", opens(wire, "text")),
		ends: /wrote more than 2000000 characters and was stopped/,
	},
	{
		what: "arguments that never end",
		step: (wire) => pour(argumentsEvent(wire, "x".repeat(20_000)), 1_000 * MB, "", opens(wire, "tool_use")),
		ends: /was stopped|was cut off|wrote more/,
	},
	{
		what: "signatures that never end",
		step: (wire) => pour(sealedEvent(wire, "x".repeat(30_000)), 1_000 * MB, "", opens(wire, "thinking")),
		ends: /wrote more than 2000000 characters and was stopped/,
	},
	{
		what: "one event of 64 MB",
		step: () => pour(`data: {"x":"`.padEnd(MB, "x"), 64 * MB, ""),
		ends: /more than 16 MB in one event/,
	},
];

for (const wire of WIRES) {
	test(`${wire}: a flood ends with a reason or is survived, and memory stays flat`, (t) =>
		withWire(t, wire, { retry: { attempts: 1 } }, async (rig) => {
			await rig.turn([says("Warm.")]);
			let before = peakOf(rig);
			for (const { what, step, ends } of FLOODS) {
				await t.test(`${wire}: ${what}`, async () => {
					const flooded = await rig.turn([step(wire)]);
					if (ends === "completed") assert.equal(flooded.end.status, "completed", flooded.end.error?.message);
					else assert.match(flooded.end.error?.message ?? "no error", ends);
					assert.equal((await rig.turn([says("Still here.")], { threadId: flooded.threadId })).text, "Still here.");
					const grown = peakOf(rig) - before;
					before += Math.max(0, grown);
					t.diagnostic(`${wire}: ${what}: peak memory grew by ${grown.toFixed(0)} MB`);
					assert.ok(grown < MOST_GROWTH_MB, `${grown} MB`);
				});
			}
			await t.test(`${wire}: the text of a server's refusal is shown plain and short, whatever it holds`, async () => {
				const message = `\u001b[31m<img src=x onerror=alert(1)>\u202e[link](command:evil)\n${"A".repeat(FULL ? 5_000_000 : 500_000)}`;
				for (const body of [JSON.stringify({ error: { message } }), message, JSON.stringify({ detail: [message] })]) {
					const { end: failed } = await rig.turn([{ kind: "rawRefusal", status: 400, body }]);
					const said = failed.error?.message ?? "";
					assert.ok(said.length < 500, `${said.length} characters`);
					assert.doesNotMatch(said, /[\p{Cc}\p{Cf}]/u);
				}
			});
		}));
}

test("text that arrives only as whole messages has the limit of streamed text, and what arrived is kept", (t) =>
	withWire(t, "responses", { retry: { attempts: 1 } }, async (rig) => {
		const item = { type: "message", content: [{ type: "output_text", text: "word ".repeat(200_000) }] };
		const messages = [0, 1, 2].map((index) => event({ type: "response.output_item.done", output_index: index, item }));
		const { end: failed, items } = await rig.turn([{ kind: "raw", body: messages.join("") + end("responses") }]);
		assert.match(failed.error?.message ?? "", /wrote more than 2000000 characters and was stopped/);
		assert.equal(items.filter(({ kind }) => kind === "agentMessage").length, 3);
	}));

test("a compression bomb is cut off at its unpacked size", (t) =>
	withWire(t, "chat", { retry: { attempts: 1 } }, async (rig) => {
		await rig.turn([says("Warm.")]);
		const before = peakOf(rig);
		const body = gzipSync(Buffer.alloc((FULL ? 256 : 64) * MB, "data: x"), { level: 1 });
		const { end: failed } = await rig.turn([{ kind: "compressed", body }]);
		assert.equal(failed.error?.code, "bad-stream");
		const grown = peakOf(rig) - before;
		t.diagnostic(`peak memory grew by ${grown.toFixed(0)} MB`);
		assert.ok(grown < MOST_GROWTH_MB, `${grown} MB`);
	}));

/** The most memory the host has ever had, in MB. */
function peakOf({ host }: WireRig): number {
	return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, "utf8"))?.[1]) / 1_024;
}
