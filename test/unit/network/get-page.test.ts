import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { after, before, test } from "node:test";
import { getPage } from "../../../agent-host/network/get-page.ts";
import { hostText, type Target } from "../../../agent-host/network/host-name.ts";
import { type Ruling, ruleNaming } from "../../../agent-host/network/host-rules.ts";
import { aCertificate, anAuthority } from "../../support/a-certificate.ts";

const AUTHORITY = anAuthority("Test");
const SITE = aCertificate("example.org", AUTHORITY);
const PUBLIC = "93.184.215.14";
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => undefined;
const server = createServer(
	{ cert: SITE.cert, key: SITE.key.export({ type: "pkcs8", format: "pem" }) },
	(request, response) => answer(request, response),
);

before(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
after(() => {
	server.closeAllConnections();
	server.close();
});

interface Seen {
	readonly asked: string[];
	readonly dialled: string[];
}

/** Names lead where `found` says; a public address leads to the test's server. */
async function get(url: string, found: Readonly<Record<string, string>> = {}, refused: readonly string[] = []) {
	const seen: Seen = { asked: [], dialled: [] };
	const allow = async (target: Target): Promise<Ruling> => {
		const host = hostText(target.host);
		seen.asked.push(host);
		const rule = ruleNaming(target);
		return rule === undefined || refused.includes(host)
			? { kind: "deny", reason: "not an allowed site" }
			: { kind: "allow", rule };
	};
	const ports = {
		nearby: () => [],
		lookup: async (name: string) => [found[name] ?? PUBLIC],
		dial: async (address: string) => {
			seen.dialled.push(address);
			return connect((server.address() as AddressInfo).port, "127.0.0.1");
		},
	};
	const got = await getPage(url, { ports, allow, ca: AUTHORITY.cert, signal: new AbortController().signal });
	return { got, ...seen };
}

test("a page is fetched over https from the checked address, without cookies or credentials", async () => {
	let headers: IncomingMessage["headers"] = {};
	answer = (request, response) => {
		headers = request.headers;
		response
			.writeHead(200, { "content-type": "text/plain; charset=latin1" })
			.end(Buffer.from([0x63, 0x61, 0x66, 0xe9]));
	};
	const { got, asked, dialled } = await get("https://example.org/a#part");
	assert.deepEqual(got, { ok: true, url: "https://example.org/a", type: "text/plain; charset=latin1", text: "café" });
	assert.deepEqual([asked, dialled], [["example.org"], [PUBLIC]]);
	assert.deepEqual(Object.keys(headers).sort(), ["accept", "accept-encoding", "connection", "host", "user-agent"]);
});

for (const url of [
	"http://example.org/",
	"https://example.org:8443/",
	"https://me:secret@example.org/",
	"https://localhost/",
	"https://intranet/",
	"https://a.localhost/",
	"https://127.0.0.1/",
	"https://2130706433/",
	"https://[::1]/",
	"https://169.254.169.254/latest",
	"file:///etc/passwd",
	"nonsense",
	`https://example.org/?${"x".repeat(300)}`,
	`https://example.org/${"x".repeat(500)}`,
]) {
	test(`${url.slice(0, 60)} is refused before any approval or name lookup`, async () => {
		const { got, asked, dialled } = await get(url);
		assert.deepEqual([got.ok, asked, dialled], [false, [], []]);
	});
}

for (const address of ["127.0.0.1", "10.0.0.5", "192.168.1.1", "169.254.169.254", "::1", "fd00::1", "100.64.0.1"]) {
	test(`a name that leads to ${address} is refused`, async () => {
		const { got, dialled } = await get("https://example.org/", { "example.org": address });
		assert.deepEqual([got.ok, dialled], [false, []]);
	});
}

test("each host that a redirect leads to is judged again, and a private one is not followed", async () => {
	for (const [location, judged, reason] of [
		["https://other.example/", ["other.example"], /^other\.example is not an allowed site\.$/],
		["https://inside.example/", ["inside.example"], /^inside\.example is /],
		["http://example.org/", [], /Only https/],
		["https://10.0.0.1/", [], /Only public sites/],
		["file:///etc/passwd", [], /Only https/],
	] as const) {
		answer = (_, response) => void response.writeHead(302, { location }).end();
		const found = { "inside.example": "10.0.0.5" };
		const { got, asked, dialled } = await get("https://example.org/", found, ["other.example"]);
		assert.ok(!got.ok);
		assert.match(got.reason, reason);
		assert.deepEqual([asked, dialled], [["example.org", ...judged], [PUBLIC]]);
	}
});

test("endless redirects, other content types, errors and floods are refused with the reason", async () => {
	for (const [respond, reason] of [
		[
			(_: IncomingMessage, response: ServerResponse) => response.writeHead(302, { location: "/again" }).end(),
			/more than 5 times/,
		],
		[
			(_: IncomingMessage, response: ServerResponse) =>
				response.writeHead(200, { "content-type": "application/pdf" }).end(),
			/is application\/pdf, not text/,
		],
		[(_: IncomingMessage, response: ServerResponse) => response.writeHead(404).end(), /status 404/],
		[
			(_: IncomingMessage, response: ServerResponse) =>
				response.writeHead(200, { "content-encoding": "gzip" }).end("x"),
			/compressed/,
		],
		[
			(_: IncomingMessage, response: ServerResponse) =>
				response.writeHead(200, { "content-type": "text/plain" }).end("x".repeat(6_000_000)),
			/larger than 5 MB/,
		],
		[(request: IncomingMessage) => request.socket.destroy(), /could not be read/],
	] as const) {
		answer = respond;
		const { got } = await get("https://example.org/");
		assert.ok(!got.ok);
		assert.match(got.reason, reason);
	}
});

test("a site that cannot prove its name is not read", async () => {
	answer = (_, response) => void response.end("Not me.");
	const { got } = await get("https://example.com/");
	assert.ok(!got.ok);
	assert.match(got.reason, /could not be read/);
});
