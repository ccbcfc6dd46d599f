import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { modelDetect } from "../../agent-host/protocol/host/host.ts";
import { withHost } from "./rig/with-host.ts";

/** A server that answers each path with a status, and 404 where there is nothing. */
async function aServer(
	t: TestContext,
	statuses: Readonly<Record<string, number>>,
	models: object = { error: { message: "Something is missing." } },
): Promise<string> {
	const server = createServer((request, response) => {
		if (request.method === "GET") {
			response.writeHead("models" in models ? 200 : 404, { "content-type": "application/json" });
			response.end(JSON.stringify(models));
			return;
		}
		const status = statuses[request.url ?? ""] ?? 404;
		// As LM Studio answers where there is nothing.
		const error = status === 200 ? `Unexpected endpoint or method. (POST ${request.url})` : "Something is missing.";
		const body = JSON.stringify({ error });
		response.writeHead(status, { "content-type": "application/json", "content-length": body.length });
		response.end(body);
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	t.after(() => server.close());
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test("a server is asked which API it has, and a refused key is distinguished from an absent server", (t) =>
	withHost(t, {}, async ({ host }) => {
		const detect = (baseUrl: string) =>
			host.request(modelDetect, { settings: { model: { provider: "compatible", auth: "apiKey", baseUrl } } }).then(
				({ wire }) => wire,
				(error: Error & { readonly data?: { readonly kind?: string } }) => error.data?.kind ?? error.message,
			);
		const both = { "/v1/responses": 400, "/v1/chat/completions": 400 };
		assert.equal(await detect(await aServer(t, both)), "responses");
		assert.equal(await detect(await aServer(t, { "/v1/chat/completions": 422 })), "chat");
		assert.equal(await detect(await aServer(t, { "/v1/responses": 200, "/v1/chat/completions": 400 })), "chat");
		assert.equal(await detect(await aServer(t, { "/v1/messages": 400 })), "messages");
		assert.equal(await detect((await aServer(t, { "/v1/messages": 400 })).replace(/\/v1$/, "")), "messages");
		const gemini = { models: [{ name: "models/gemini-3-pro", inputTokenLimit: 1_048_576 }] };
		assert.equal(await detect(await aServer(t, {}, gemini)), "gemini");
		assert.equal(await detect("https://api.anthropic.com/v1"), "messages", "its other API has no cache");
		assert.equal(await detect("https://generativelanguage.googleapis.com/v1beta"), "gemini");
		assert.equal(await detect(await aServer(t, { "/v1/responses": 401, "/v1/chat/completions": 401 })), "key-refused");
		assert.equal(await detect(await aServer(t, {})), "settings-refused", "neither API is there");
		assert.equal(await detect("http://127.0.0.1:9/v1"), "settings-refused");
	}));

test("a server that takes the key only in a header of its provider's settings is asked with it", async (t) => {
	const server = createServer(({ headers, url }, response) => {
		const isKnown = headers["api-key"] === "key-of-work" && headers.authorization === undefined;
		const status = !isKnown ? 401 : url === "/v1/chat/completions" ? 400 : 404;
		response.writeHead(status, { "content-type": "application/json" }).end('{"error":{"message":"No."}}');
	});
	server.listen(0, "127.0.0.1");
	await once(server, "listening");
	t.after(() => server.close());
	const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
	// biome-ignore lint/suspicious/noTemplateCurlyInString: users write it so.
	const providers = { work: { baseUrl, headers: { "api-key": "${apiKey}" } } };
	await withHost(t, { settings: { providers }, secret: () => ({ value: "key-of-work" }) }, async ({ host }) => {
		const model = { provider: "compatible", auth: "apiKey", baseUrl } as const;
		assert.deepEqual(await host.request(modelDetect, { settings: { model } }), { wire: "chat" });
	});
});
