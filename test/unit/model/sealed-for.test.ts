import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryItem } from "../../../agent-host/history/history-item.ts";
import type { ModelRequest } from "../../../agent-host/model/port.ts";
import { listUnreadable, nameSource } from "../../../agent-host/model/sealed-for.ts";
import { messagesBody } from "../../../agent-host/model/wires/messages/messages.ts";
import { responsesBody } from "../../../agent-host/model/wires/responses/responses.ts";

const BASE = "http://127.0.0.1:8080/v1";
const WIRES = ["responses", "chat", "messages", "gemini"] as const;
/** Those that send sealed thoughts back; Gemini signs single parts. */
const BODIES = { responses: responsesBody, messages: messagesBody } as const;
const PLACE = { baseUrl: BASE, memory: { quirks: () => new Set<never>(), refusedSeals: () => new Set<string>() } };

/** A thought that was sealed over one wire, in the middle of a conversation. */
function aRequest(wire: (typeof WIRES)[number]): ModelRequest {
	const source = nameSource(BASE, "m", wire);
	const input: readonly HistoryItem[] = [
		{ kind: "userMessage", text: "Why?" },
		{ kind: "reasoning", providerId: "rs_1", summary: ["Hm."], encrypted: "SEALED", source },
		{ kind: "agentMessage", text: "So." },
		{ kind: "userMessage", text: "And?" },
	];
	const rest = { instructions: "", tools: [], cacheKey: "t", reasoningSummary: "auto", serviceTier: "auto" };
	return { model: "m", input, ...rest };
}

test("one model at one server is a different source over each API, and the first keeps its old name", () => {
	assert.equal(new Set(WIRES.map((wire) => nameSource(BASE, "m", wire))).size, WIRES.length);
	assert.equal(nameSource(BASE, "m", "responses"), "http://127.0.0.1:8080 m");
});

test("content sealed over one API is sent back over that one only", () => {
	for (const [reader, toBody] of Object.entries(BODIES)) {
		const readers = WIRES.filter((wire) => JSON.stringify(toBody(PLACE, aRequest(wire))).includes("SEALED"));
		assert.deepEqual(readers, [reader]);
	}
});

test("a server's summary cannot be read over another API of the same server", () => {
	const source = nameSource(BASE, "m", "responses");
	const items: readonly HistoryItem[] = [{ kind: "sealedSummary", encrypted: "SEALED", source }];
	const unreadable = WIRES.filter((wire) => {
		return listUnreadable({ provider: "compatible", baseUrl: BASE, wire, model: "m" }, items).length > 0;
	});
	assert.deepEqual(unreadable, ["chat", "messages", "gemini"]);
});
