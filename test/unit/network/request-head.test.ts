import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { targetText } from "../../../agent-host/network/host-name.ts";
import { readHead } from "../../../agent-host/network/request-head.ts";
import { NO_HOSTS } from "./spellings.ts";

test("a CONNECT needs a host and a port", () => {
	assert.equal(targetOf("CONNECT", "Example.org.:443"), "example.org:443");
	for (const url of ["example.org", "example.org:", "example.org:0", "example.org:99999", "http://example.org/", "/"]) {
		assert.equal(readHead({ method: "CONNECT", url, rawHeaders: [] }).kind, "bad", url);
	}
	for (const host of NO_HOSTS)
		assert.equal(readHead({ method: "CONNECT", url: `${host}:443`, rawHeaders: [] }).kind, "bad", host);
});

test("a full request is forwarded without hop-by-hop headers, and with the host that was judged", () => {
	const read = readHead({
		method: "POST",
		url: "http://Example.org?q=1",
		rawHeaders: [
			...[
				"Host",
				"example.org:80",
				"Connection",
				"x-hop, content-length",
				"X-Hop",
				"1",
				"Proxy-Authorization",
				"secret",
			],
			...["Upgrade", "websocket", "Content-Length", "3", "Accept", "*/*"],
		],
	});
	assert.ok(read.kind === "forward");
	assert.deepEqual(
		[read.path, read.headers],
		["/?q=1", ["Host", "example.org", "Content-Length", "3", "Accept", "*/*"]],
	);
});

test("a body without a length keeps its framing", () => {
	const read = readHead({ method: "GET", url: "http://a.example/", rawHeaders: ["Transfer-Encoding", "chunked"] });
	assert.ok(read.kind === "forward");
	assert.deepEqual(read.headers, ["Host", "a.example", "Transfer-Encoding", "chunked"]);
});

test("a request that names two hosts, or none in full, is not read", () => {
	const rejected: readonly (readonly [string, readonly string[]])[] = [
		["http://a.example/", ["Host", "b.example"]],
		["http://a.example/", ["Host", "a.example:8080"]],
		["http://a.example/", ["Host", "a.example", "host", "a.example"]],
		["http://a.example/", ["Host", ""]],
		["http://a.example@b.example/", []],
		["http:///path", []],
		["/path", ["Host", "a.example"]],
		["*", []],
		["https://a.example/", []],
		["ftp://a.example/", []],
		["http://a.example/#x", []],
	];
	for (const [url, rawHeaders] of rejected) assert.equal(readHead({ method: "GET", url, rawHeaders }).kind, "bad", url);
});

test("the host that is judged is always the one in the Host header", () => {
	const part = fc.oneof(fc.domain(), fc.constantFrom("a.example", "127.0.0.1", "[::1]"), fc.string());
	// Two hosts that differ are not sent on, so most are the same, in other letters or with a port now and then.
	const again = fc.constantFrom<(host: string) => string>(
		(host) => host,
		(host) => host.toUpperCase(),
		(host) => `${host}:80`,
		(host) => `${host}:8080`,
	);
	let forwarded = 0;
	fc.assert(
		fc.property(part, fc.option(part, { freq: 3 }), again, fc.webPath(), (one, other, respell, path) => {
			const host = respell(other ?? one);
			const read = readHead({ method: "GET", url: `http://${one}${path}`, rawHeaders: ["Host", host] });
			if (read.kind !== "forward") return;
			forwarded += 1;
			assert.equal(targetText(read.target).replace(/:80$/, ""), read.headers[1]);
			assert.equal(targetText(read.target).replace(/:80$/, ""), host.toLowerCase().replace(/:80$/, ""));
			assert.equal(read.headers.filter((name) => name.toLowerCase() === "host").length, 1);
		}),
		{ numRuns: 500 },
	);
	assert.ok(forwarded > 50, `${forwarded} of 500 requests were read`);
});

function targetOf(method: string, url: string): string | undefined {
	const read = readHead({ method, url, rawHeaders: [] });
	return read.kind === "bad" ? undefined : targetText(read.target);
}
