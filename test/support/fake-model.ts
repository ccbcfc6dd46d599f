import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { play, prerender, type Wire } from "./fake-model-play.ts";
import { type RecordedRequest, recordRequest } from "./fake-model-request.ts";
import type { Step } from "./fake-model-steps.ts";
import { within } from "./fake-model-wait.ts";

export type Script = readonly Step[] | ((request: RecordedRequest, index: number) => Step | undefined);

export interface FakeModel {
	/** With `/v1`, as `settings.model.baseUrl` wants it. */
	readonly baseUrl: string;
	/** Requests for an answer, in order of arrival. */
	readonly requests: readonly RecordedRequest[];
	/** Lets go of the requests so far, and counts from one again: thousands of long ones need gigabytes. */
	readonly forget: () => void;
	/** Everything else that came: lists of models, wrong paths. */
	readonly others: readonly RecordedRequest[];
	/** Requests the script has no step for; they got status 599. */
	readonly unexpected: readonly RecordedRequest[];
	/** The request with this number, counted from 1, once it has arrived. */
	requestNumber(number: number): Promise<RecordedRequest>;
	stop(): Promise<void>;
}

/** The path that has the model in it. */
const GEMINI = /^\/v1\/models\/[^/]+:streamGenerateContent\?alt=sse$/;

const COUNT = /\/messages\/count_tokens$|:countTokens$/;

const WIRES: Readonly<Record<string, Wire>> = {
	"/v1/responses": "responses",
	"/v1/responses/compact": "compact",
	"/v1/chat/completions": "chat",
	"/v1/messages": "messages",
};

function geminiAt(path: string): Wire | undefined {
	return GEMINI.test(path) ? "gemini" : undefined;
}

/** Starts a model server on the loopback interface that answers each request with the next step. */
export async function startFakeModel(
	script: Script,
	{
		models = [{ id: "fake-1" }, { id: "fake-2" }],
		ports = [0],
		only,
		counts,
		takes = "ours",
	}: {
		readonly models?: readonly { readonly id: string; readonly [field: string]: unknown }[];
		/** The one API that the server has; all of them by default. */
		readonly only?: Wire;
		/** What it says to requests to count tokens; without it there is no such endpoint. */
		readonly counts?: number;
		/** Whose requests: those of other programs have fields that we never send, and are not checked. */
		readonly takes?: "ours" | "all";
		/** The first of these that is free. */
		readonly ports?: readonly number[];
	} = {},
): Promise<FakeModel> {
	const requests: RecordedRequest[] = [];
	const others: RecordedRequest[] = [];
	const unexpected: RecordedRequest[] = [];
	const waiting = new Map<number, PromiseWithResolvers<RecordedRequest>>();

	async function serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
		const request = await recordRequest(message, response);
		const wire = request.method === "POST" ? (WIRES[request.path] ?? geminiAt(request.path)) : undefined;
		// Whoever has one API says so to a request without a model; the others leave it to the script.
		const isEmpty = only !== undefined && request.text === "{}";
		if (!wire || isEmpty || (only !== undefined && wire !== only)) {
			others.push(request);
			if (isEmpty && wire === only) refuseEmpty(request, response);
			else if (counts !== undefined && COUNT.test(request.path)) serveCount(request, response, counts);
			else serveOther(request, response, only === "gemini" ? listGemini(models) : listData(models));
			return;
		}
		const step = typeof script === "function" ? script(request, requests.length) : script[requests.length];
		requests.push(request);
		if (!step) {
			unexpected.push(request);
			response.writeHead(599).end('{"error":{"message":"The script has no step for this request."}}');
		}
		waiting.get(requests.length)?.resolve(request);
		if (step) await play(step, wire, request, response, takes);
		request.answeredAt = performance.now();
	}

	if (typeof script !== "function") for (const step of script) prerender(step, "responses");
	const server = createServer((message, response) => {
		serve(message, response).catch((error: unknown) => response.destroy(asError(error)));
	});
	await listenOn(server, ports);
	const { port } = server.address() as AddressInfo;

	return {
		baseUrl: `http://127.0.0.1:${port}/v1`,
		requests,
		forget: () => {
			requests.length = 0;
		},
		others,
		unexpected,
		requestNumber(number) {
			const here = requests[number - 1];
			if (here) return Promise.resolve(here);
			const coming = waiting.get(number) ?? Promise.withResolvers<RecordedRequest>();
			waiting.set(number, coming);
			return within(coming.promise, 20_000, () => `request ${number} did not come, ${requests.length} did`);
		},
		async stop() {
			const closed = new Promise<void>((resolve) => server.close(() => resolve()));
			server.closeAllConnections();
			await closed;
		},
	};
}

async function listenOn(server: Server, [port, ...others]: readonly number[]): Promise<void> {
	server.listen(port, "127.0.0.1");
	try {
		await once(server, "listening");
	} catch (error) {
		if (others.length === 0) throw error;
		await listenOn(server, others);
	}
}

/** What every server says to a request without a model and input. */
function refuseEmpty(request: RecordedRequest, response: ServerResponse): void {
	response.writeHead(400, { "content-type": "application/json" }).end('{"error":{"message":"A model is missing."}}');
	request.answeredAt = performance.now();
}

function serveCount(request: RecordedRequest, response: ServerResponse, counts: number): void {
	const body = request.path.endsWith("count_tokens") ? { input_tokens: counts } : { totalTokens: counts };
	response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
	request.answeredAt = performance.now();
}

function listData(models: readonly object[]): object {
	const data = models.map((model) => ({ object: "model", created: 1_700_000_000, owned_by: "nobody", ...model }));
	return { object: "list", data };
}

function listGemini(models: readonly { readonly id: string }[]): object {
	return { models: models.map(({ id, ...model }) => ({ name: `models/${id}`, ...model })) };
}

function serveOther(request: RecordedRequest, response: ServerResponse, list: object): void {
	const known = request.method === "GET" && request.path.replace(/\?.*/, "") === "/v1/models";
	const body = known ? list : { error: { message: `No such path: ${request.path}` } };
	response.writeHead(known ? 200 : 404, { "content-type": "application/json" }).end(JSON.stringify(body));
	request.answeredAt = performance.now();
}

function asError(error: unknown): Error {
	return error instanceof Error ? error : new Error(String(error));
}
