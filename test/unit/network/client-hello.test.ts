import assert from "node:assert/strict";
import { Duplex } from "node:stream";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import fc from "fast-check";
import { judgeOpening, MAX_HELLO, readOpening } from "../../../agent-host/network/client-hello.ts";
import { parseTarget } from "../../../agent-host/network/host-name.ts";
import { parseRule } from "../../../agent-host/network/host-rules.ts";

const HELLO = await firstBytes("www.example.org");

test("the name that a real client asks for is read, wherever its bytes are cut", () => {
	assert.deepEqual(readOpening(HELLO), { state: "hello", serverName: "www.example.org" });
	for (let length = 0; length < HELLO.length; length += 1) {
		assert.deepEqual(readOpening(HELLO.subarray(0, length)), { state: "more" }, `${length}`);
	}
});

test("a message spread over many records reads as the same message", () => {
	fc.assert(
		fc.property(fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 }), (sizes) => {
			assert.deepEqual(readOpening(inRecords(HELLO.subarray(5), sizes)), {
				state: "hello",
				serverName: "www.example.org",
			});
		}),
	);
});

test("no bytes break the reader, and changing a byte never makes it wait forever", () => {
	fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => void readOpening(bytes)));
	fc.assert(
		fc.property(fc.integer({ min: 0, max: HELLO.length - 1 }), fc.integer({ min: 0, max: 255 }), (at, value) => {
			const changed = Buffer.concat([HELLO, Buffer.alloc(MAX_HELLO, 22)]);
			changed[at] = value;
			assert.notEqual(readOpening(changed).state, "more");
		}),
	);
});

test("a TLS tunnel to a named host passes only if TLS names that host", async () => {
	const judge = (bytes: Uint8Array, target: string, rule = "*.example.org") => {
		const [at, parsed] = [parseTarget(target, undefined), parseRule(rule)];
		assert.ok(at !== undefined && parsed !== undefined);
		return judgeOpening(bytes, at, parsed);
	};
	const nameless = await firstBytes("");
	const http = Buffer.from("GET / HTTP/1.1\r\n");
	assert.equal(judge(HELLO, "www.example.org:443").kind, "pass");
	assert.equal(judge(HELLO.subarray(0, 9), "www.example.org:443").kind, "wait");
	assert.deepEqual(judge(HELLO, "other.example.org:443"), { kind: "deny", reason: "TLS has a different server name" });
	assert.deepEqual(judge(nameless, "www.example.org:443"), { kind: "deny", reason: "TLS has no server name" });
	assert.equal(judge(nameless, "1.1.1.1:443", "1.1.1.1").kind, "pass");
	assert.deepEqual(judge(http, "www.example.org:80"), { kind: "deny", reason: "the data is not TLS" });
	assert.equal(judge(http, "www.example.org:443", "www.example.org:443").kind, "deny");
	assert.equal(judge(Buffer.from("SSH-2.0-x\r\n"), "git.example.org:22", "git.example.org:22").kind, "pass");
	assert.equal(judge(HELLO, "git.example.org:22", "git.example.org:22").kind, "deny");
});

test("a tunnel to a port in a rule carries no plain HTTP, however it is cut, and TLS only if it names the host openly", () => {
	const [at, rule] = [parseTarget("git.example.org:8080", undefined), parseRule("git.example.org:8080")];
	assert.ok(at !== undefined && rule !== undefined);
	const judge = (text: string | Buffer) => judgeOpening(Buffer.from(text as string), at, rule).kind;
	const requests = [
		"GET / HTTP/1.1\r\nHost: other.example\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: git.example.org:8080\r\n\r\n",
		"\r\n\r\nPOST /x HTTP/1.0\n\n",
		"m-search\t* http/1.1\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	];
	for (const request of requests) {
		for (let length = 0; length < request.length; length += 1)
			assert.notEqual(judge(request.slice(0, length)), "pass", JSON.stringify(request.slice(0, length)));
		assert.equal(judge(request), "deny", request);
	}
	for (const other of ["SSH-2.0-x\r\n", "EHLO me\r\n", "AMQP\0\0\t\u0001", "\0\0\0\bx", "*1\r\n$4\r\nPING\r\n"])
		assert.equal(judge(other), "pass", JSON.stringify(other));
});

test("a hello that hides the name of the server does not pass", () => {
	const [at, rule] = [parseTarget("www.example.org:443", undefined), parseRule("*.example.org")];
	assert.ok(at !== undefined && rule !== undefined);
	for (const kind of [0xfe0d, 0xffce]) {
		const hello = withExtension(HELLO, kind, Buffer.alloc(8));
		assert.deepEqual(readOpening(hello), { state: "hello", serverName: "www.example.org", hidesName: true });
		assert.equal(judgeOpening(hello, at, rule).kind, "deny");
	}
});

/** The same hello with one extension more at its end. */
function withExtension(hello: Buffer, kind: number, data: Buffer): Buffer {
	const extension = Buffer.alloc(4 + data.length);
	extension.writeUInt16BE(kind, 0);
	extension.writeUInt16BE(data.length, 2);
	const longer = Buffer.concat([hello, extension]);
	const session = 5 + 4 + 34;
	const suites = session + 1 + (hello[session] ?? 0);
	const compressions = suites + 2 + hello.readUInt16BE(suites);
	const extensions = compressions + 1 + (hello[compressions] ?? 0);
	longer.writeUInt16BE(hello.readUInt16BE(extensions) + extension.length, extensions);
	longer.writeUIntBE(hello.readUIntBE(6, 3) + extension.length, 6, 3);
	longer.writeUInt16BE(hello.readUInt16BE(3) + extension.length, 3);
	return longer;
}

/** What Node's own TLS sends first. */
function firstBytes(servername: string): Promise<Buffer> {
	return new Promise((resolve) => {
		const socket = new Duplex({
			read: () => undefined,
			write: (chunk: Buffer, _, done) => {
				resolve(chunk);
				done();
			},
		});
		connectTls({ socket, servername }).on("error", () => undefined);
	});
}

function inRecords(message: Buffer, sizes: readonly number[]): Buffer {
	const records: Buffer[] = [];
	for (let at = 0, index = 0; at < message.length; index += 1) {
		const part = message.subarray(at, at + (sizes[index % sizes.length] ?? 1));
		records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
		at += part.length;
	}
	return Buffer.concat(records);
}
