import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { request as forward } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type ProxySettings, proxyEnvironment } from "../../extension/facts/proxy.ts";
import { aCertificate, anAuthority, type Certificate } from "../support/a-certificate.ts";
import { says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { startConnectProxy } from "./rig/connect-proxy.ts";
import { withHost, withWorld } from "./rig/with-host.ts";

const EDITOR: ProxySettings = {
	support: "override",
	proxy: "",
	noProxy: [],
	strictSsl: true,
	systemCertificates: false,
};
const HOST = "model.invalid";
const FAR = { provider: "compatible", id: "fake-1" } as const;

test("a host with the editor's proxy reaches its model through it, and a server on this machine directly", async (t) => {
	const proxy = await startConnectProxy(t);
	const env = environment({ proxy: proxy.address });
	await withHost(t, { script: () => says("Here."), env }, async ({ host, another, model }) => {
		proxy.lead(Number(new URL(model.baseUrl).port));
		assert.equal((await runTurn(host, await aThread(host), "near")).text, "Here.");
		assert.deepEqual(proxy.asked, []);
		const far = await another({ settings: { model: { ...FAR, baseUrl: `http://${HOST}/v1` } } });
		assert.equal((await runTurn(far, await aThread(far), "far")).text, "Here.");
		assert.deepEqual(proxy.asked, [`${HOST}:80`]);
		assert.equal(model.requests[1]?.headers.host, HOST);
	});
});

/** The user's settings, the certificate that the server shows, and the outcome. */
interface Trust {
	readonly what: string;
	readonly editor: Partial<ProxySettings>;
	readonly trusted?: "extra" | "system";
	readonly shows: "right" | "other";
	readonly comes: "an answer" | RegExp;
}

const TRUSTS: readonly Trust[] = [
	{ what: "an authority named to Node", editor: {}, trusted: "extra", shows: "right", comes: "an answer" },
	{
		what: "an authority of the system",
		editor: { systemCertificates: true },
		trusted: "system",
		shows: "right",
		comes: "an answer",
	},
	{ what: "http.proxyStrictSSL switched off", editor: { strictSsl: false }, shows: "right", comes: "an answer" },
	{
		what: "an authority that nobody trusts",
		editor: {},
		shows: "right",
		comes: /not trusted \(\w+\).*NODE_EXTRA_CA_CERTS/,
	},
	{
		what: "a certificate for another host",
		editor: {},
		trusted: "extra",
		shows: "other",
		comes: /not trusted \(ERR_TLS_CERT_ALTNAME_INVALID\)/,
	},
];

test("through a proxy and TLS nobody in between sees the key, and only trusted servers are sent it", async (t) => {
	const proxy = await startConnectProxy(t);
	const authority = anAuthority("Vitrine test authority");
	const certificates = { right: aCertificate(HOST, authority), other: aCertificate("other.invalid", authority) };
	const address = proxy.address.replace("//", "//user:word@");
	await withWorld(t, { script: () => says("Here.") }, async ({ another, model, world }) => {
		const file = join(world.root, "authority.pem");
		writeFileSync(file, authority.cert);
		for (const { what, editor, trusted, shows, comes } of TRUSTS) {
			await t.test(what, async (inner) => {
				proxy.lead(await serveTls(inner, certificates[shows], model.baseUrl));
				const before = { requests: model.requests.length, asked: proxy.asked.length };
				const env = {
					...world.env,
					...environment({ ...editor, proxy: address }),
					...(trusted === "extra" ? { NODE_EXTRA_CA_CERTS: file } : {}),
					...(trusted === "system" ? { SSL_CERT_FILE: file } : {}),
				};
				const host = await another({ env, settings: { model: { ...FAR, baseUrl: `https://${HOST}/v1` } } });
				const threadId = await aThread(host);
				const { text, end } = await runTurn(host, threadId, "hello");
				if (comes === "an answer") {
					assert.equal(text, "Here.", end.error?.message);
					assert.equal((await runTurn(host, threadId, "hello again")).text, "Here.");
				} else assert.match(end.error?.message ?? "", comes);
				assert.equal(model.requests.length - before.requests, comes === "an answer" ? 2 : 0);
				const once = "a certificate is not tried again, and the next turn has the same connection";
				assert.deepEqual(proxy.asked.slice(before.asked), [`${HOST}:443`], once);
			});
		}
		assert.equal(model.requests[0]?.headers.authorization, `Bearer ${world.key}`);
		assert.doesNotMatch(proxy.carried(), new RegExp(world.key));
		const expected = `Basic ${Buffer.from("user:word").toString("base64")}`;
		assert.deepEqual(new Set(proxy.credentials), new Set([expected]));
	});
});

function environment(editor: Partial<ProxySettings>): Readonly<Record<string, string>> {
	const entries = Object.entries(proxyEnvironment({ ...EDITOR, ...editor }, {}));
	return Object.fromEntries(entries.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** The fake model behind TLS. Gives the port. */
async function serveTls(t: TestContext, { cert, key }: Certificate, baseUrl: string): Promise<number> {
	const pem = key.export({ type: "pkcs8", format: "pem" });
	const server = createServer({ cert, key: pem }, (request, response) => {
		const { method, url = "/", headers } = request;
		const up = forward(new URL(url, baseUrl), { method, headers }, (answer) => {
			response.writeHead(answer.statusCode ?? 500, answer.headers);
			answer.pipe(response);
		});
		request.pipe(up);
	});
	server.listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	t.after(() => {
		server.closeAllConnections();
		server.close();
	});
	return (server.address() as AddressInfo).port;
}
