import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestContext } from "node:test";
import { createServerMemory } from "../../agent-host/model/memory.ts";
import { ModelFailure, type ModelRequest } from "../../agent-host/model/port.ts";
import { streamChat } from "../../agent-host/model/wires/chat/chat.ts";
import type { ServerAccess } from "../../agent-host/model/wires/connection/send-request.ts";
import { eachEvent } from "./read-stream.ts";

export const KEY = "sk-canary-0123456789abcdefghijklmnopqrstuvwxyz";
/** A whole answer on the Chat wire. */
export const ANSWER = 'data: {"choices":[{"delta":{"content":"Hi."},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
export const REQUEST: ModelRequest = {
	model: "m",
	instructions: "",
	input: [],
	tools: [],
	cacheKey: "t",
	reasoningSummary: "none",
	serviceTier: "auto",
};

/** How a server that begins to listen here is reached. */
export async function accessTo(t: TestContext, server: Server): Promise<ServerAccess> {
	server.listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return {
		baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
		auth: "apiKey",
		headers: "bearer",
		needsKey: true,
		secret: async () => ({ value: KEY }),
		now: () => 0,
		memory: createServerMemory({ servers: {} }, () => undefined, Date.now),
		windowSetting: 0,
	};
}

/** The text of an answer, or the code of the failure and whether to try again. */
export async function ask(
	access: ServerAccess,
	stream: typeof streamChat = streamChat,
): Promise<{ readonly comes: string; readonly says: string }> {
	let text = "";
	try {
		for await (const event of eachEvent(stream(access, REQUEST, AbortSignal.timeout(10_000)))) {
			if (event.type === "item" && event.item.kind === "agentMessage") text = event.item.text;
		}
		return { comes: text, says: "" };
	} catch (error) {
		if (!(error instanceof ModelFailure)) throw error;
		return { comes: error.retryable ? `${error.code}, again` : error.code, says: error.message };
	}
}
