import assert from "node:assert/strict";
import { test } from "node:test";
import { ErrorCodes } from "vscode-jsonrpc/node";
import { HOST_METHODS } from "../../agent-host/protocol/catalog.ts";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import { threadList } from "../../agent-host/protocol/thread/thread.ts";
import { settlesInFairTime } from "../support/fair-time.ts";
import { says } from "../support/fake-model-steps.ts";
import { aThread, type HostProcess, type RpcError, runTurn } from "../support/host-process.ts";
import { shareHost } from "./rig/share-host.ts";
import { frame } from "./rig/wire.ts";
import { withHost } from "./rig/with-host.ts";

const MEGABYTE = 1024 * 1024;
const withShared = shareHost({});

const BROKEN: readonly { readonly what: string; readonly bytes: () => string | Uint8Array; readonly error?: number }[] =
	[
		{
			what: "a body that is no JSON",
			bytes: () => frame('{"jsonrpc": "2.0", "method": '),
			error: ErrorCodes.ParseError,
		},
		{ what: "a body that is no object", bytes: () => frame("[1, 2, 3]") },
		{ what: "an empty body", bytes: () => frame("") },
		{
			what: "a body of invalid UTF-8",
			bytes: () => Buffer.concat([Buffer.from("Content-Length: 4\r\n\r\n"), Buffer.from([0xff, 0xfe, 0x80, 0x80])]),
		},
		{ what: "a header without Content-Length", bytes: () => "Content-Type: application/json\r\n\r\n" },
		{ what: "a Content-Length that is no number", bytes: () => "Content-Length: many\r\n\r\n" },
		{ what: "a negative Content-Length", bytes: () => "Content-Length: -5\r\n\r\n" },
		{
			what: "a frame over 16 MB",
			bytes: () => frame(JSON.stringify({ jsonrpc: "2.0", method: "x", params: "y".repeat(17 * MEGABYTE) })),
		},
		{
			what: "JSON nested 100,000 deep",
			bytes: () => frame(`{"jsonrpc":"2.0","method":"x","params":${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
		},
		{ what: "a message without a method", bytes: () => frame('{"jsonrpc":"2.0","params":{}}') },
		{ what: "a reply to a question nobody asked", bytes: () => frame('{"jsonrpc":"2.0","id":777,"result":{}}') },
		{ what: "an unknown notification", bytes: () => frame('{"jsonrpc":"2.0","method":"no/such","params":{}}') },
		{
			what: "a cancellation of nothing",
			bytes: () =>
				['{"id":999}', "{}", "null"]
					.map((params) => frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":${params}}`))
					.join(""),
		},
		{ what: "20,000 bytes that are no header", bytes: () => "x".repeat(20_000) },
	];

for (const { what, bytes, error } of BROKEN) {
	test(`the host survives ${what}`, (t) =>
		withShared(t, [], async ({ host }) => {
			const before = host.received.messages.length;
			host.wire.sendBytes(bytes());
			await assertAlive(host);
			const errors = errorsAfter(host, before);
			if (error !== undefined) assert.equal(errors[0]?.code, error);
		}));
}

test("a frame over 16 MB is answered with an error that names the limit", (t) =>
	withShared(t, [], async ({ host }) => {
		const before = host.received.messages.length;
		host.wire.sendBytes(
			frame(
				JSON.stringify({ jsonrpc: "2.0", id: 4711, method: "host/status", params: { x: "y".repeat(17 * MEGABYTE) } }),
			),
		);
		await assertAlive(host);
		const errors = errorsAfter(host, before);
		assert.equal(errors.length, 1);
		assert.match(errors[0]?.message ?? "", /16777216|16 MB/);
	}));

test("a message of 15 MB is accepted", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const text = "x".repeat(9 * MEGABYTE);
		host.notifyRaw("textDocument/didOpen", {
			textDocument: { uri: `file://${world.workspace}/big`, languageId: "x", version: 1, text },
		});
		assert.equal((await host.request(hostStatus, {})).openDocuments, 1);
	}));

test("a frame that arrives byte by byte is understood", (t) =>
	withShared(t, [], async ({ host }) => {
		const bytes = Buffer.from(frame('{"jsonrpc":"2.0","id":900,"method":"host/status","params":{}}'));
		for (const byte of bytes) host.wire.sendBytes(Uint8Array.of(byte));
		await assertAlive(host);
		assert.ok(host.received.messages.some((text) => JSON.parse(text).id === 900));
	}));

test("a torn frame followed by the end of input ends the host cleanly", (t) =>
	withHost(t, {}, async ({ host }) => {
		host.wire.sendBytes('Content-Length: 500\r\n\r\n{"jsonrpc":"2.0","id":1,"meth');
		host.wire.hangUp();
		const exit = await settlesInFairTime(host.exited, 1_000, () => "the host does not end");
		assert.deepEqual(exit, { code: 0, signal: null });
		assert.equal(host.received.stderr(), "");
	}));

test("an unknown method is MethodNotFound", (t) =>
	withShared(t, [], async ({ host }) => {
		await assert.rejects(host.requestRaw("thread/levitate", {}), { code: ErrorCodes.MethodNotFound });
	}));

const BAD_PARAMS: readonly (readonly [method: string, params: unknown, path: string])[] = [
	["turn/start", { threadId: "a", input: [{ kind: "text" }] }, "input.0.text"],
	["turn/start", { threadId: "a", input: [{ kind: "telepathy" }] }, "input.0.kind"],
	["turn/start", { threadId: "a", input: [] }, "input"],
	["turn/start", { input: [{ kind: "text", text: "x" }] }, "threadId"],
	["turn/start", { threadId: "../../etc/passwd", input: [{ kind: "text", text: "x" }] }, "threadId"],
	[
		"turn/start",
		{
			threadId: "a",
			input: [{ kind: "text", text: "x" }],
			overrides: { settings: { model: { baseUrl: "file:///etc" } } },
		},
		"overrides.settings.model.baseUrl",
	],
	["thread/list", { limit: 0 }, "limit"],
	["thread/read", { threadId: "a", after: -1 }, "after"],
	["thread/rename", { threadId: "a", title: " " }, "title"],
	["thread/start", { settings: { retry: { attempts: 1_000 } } }, "settings.retry.attempts"],
	["thread/read", null, "threadId"],
	["thread/read", ["a"], ""],
];

test("bad params are InvalidParams with the path of the bad field", (t) =>
	withShared(t, [], async ({ host }) => {
		for (const [method, params, path] of BAD_PARAMS) {
			await assert.rejects(host.requestRaw(method, params), (error: RpcError) => {
				assert.equal(error.code, ErrorCodes.InvalidParams);
				assert.ok(error.message.includes(path), `${error.message} does not name “${path}”`);
				return true;
			});
		}
	}));

/** Words of the schema library and of the runtime. */
const INNER_WORDS = /Invalid input|expected|received|Too (?:big|small)|TypeError|Cannot read|not a function|\n\s+at /;
const LONG = "x".repeat(40_000);
const GARBAGE = [null, 0, -1, 1e308, 1.5, true, "", "a\u0000b", "\ud800", LONG, [], [1], {}, { a: 1 }];

test("what a method cannot take is refused in plain words, whatever it is and wherever it stands", (t) =>
	withShared(t, [], async ({ host }) => {
		let count = 0;
		for (const { name, params } of Object.values(HOST_METHODS)) {
			const fields = Object.keys("shape" in params ? Object(params.shape) : {});
			const all = [
				...GARBAGE,
				...fields.flatMap((field) => GARBAGE.map((value) => ({ threadId: "x", [field]: value }))),
			];
			for (const given of all.filter((one) => !params.safeParse(one ?? {}).success)) {
				count += 1;
				await assert.rejects(host.requestRaw(name, given), (error: RpcError) => {
					const what = `${name} ${JSON.stringify(given).slice(0, 100)}: ${error.message}`;
					assert.equal(error.code, ErrorCodes.InvalidParams, what);
					assert.doesNotMatch(error.message, INNER_WORDS, what);
					return true;
				});
			}
		}
		assert.ok(count > 1_000, `${count} requests were refused`);
	}));

const OF_A_THREAD = [
	"thread/read",
	"thread/resume",
	"thread/rename",
	"thread/archive",
	"thread/delete",
	"turn/start",
	"turn/interrupt",
];

test("every method refuses an unknown thread by name", (t) =>
	withShared(t, [], async ({ host }) => {
		const params = { threadId: "no-such-thread", title: "x", input: [{ kind: "text", text: "x" }] };
		for (const method of OF_A_THREAD) {
			await assert.rejects(host.requestRaw(method, params), (error: RpcError) => {
				assert.deepEqual(
					[error.code, error.data],
					[1001, { kind: "thread-not-found", sentence: "thread-gone", values: { threadId: "no-such-thread" } }],
					method,
				);
				return error.message.includes("no-such-thread");
			});
		}
	}));

const PROMPTS: readonly (readonly [what: string, text: string, said: object])[] = [
	["an empty prompt", "", { sentence: "prompt-empty" }],
	["a prompt of spaces", " \n\t ", { sentence: "prompt-empty" }],
	[
		"a prompt of 2 MB",
		"word ".repeat(400_000),
		{ sentence: "prompt-too-long", values: { length: 2_000_000, most: 1_000_000 } },
	],
];

for (const [what, text, said] of PROMPTS) {
	test(`${what} is refused with a reason, and nothing is recorded`, (t) =>
		withShared(t, [says("ok")], async ({ host }) => {
			const threadId = await aThread(host);
			await assert.rejects(
				host.requestRaw("turn/start", { threadId, input: [{ kind: "text", text }] }),
				(error: RpcError) => {
					assert.deepEqual([error.code, error.data], [1006, { kind: "input-refused", ...said }]);
					return error.message.length < 300;
				},
			);
			const { threads } = await host.request(threadList, {});
			assert.ok(threads.every((thread) => thread.threadId !== threadId));
			assert.equal((await runTurn(host, threadId, "a better one")).end.status, "completed");
		}));
}

test("an invalid setting is ignored with a log message, and the old settings stay", (t) =>
	withHost(t, {}, async ({ host }) => {
		host.notifyRaw("workspace/didChangeConfiguration", { settings: { model: { provider: "nobody" } } });
		host.notifyRaw("workspace/didChangeTrust", { trusted: "yes" });
		const status = await host.request(hostStatus, {});
		assert.deepEqual([status.model.provider, status.trusted], ["demo", true]);
		assert.equal(host.received.logs.length, 2);
	}));

test("a change of trust is announced", (t) =>
	withHost(t, { trusted: false }, async ({ host }) => {
		host.notifyRaw("workspace/didChangeTrust", { trusted: true });
		assert.equal((await host.request(hostStatus, {})).trusted, true);
		assert.equal(host.received.statuses.at(-1)?.trusted, true);
	}));

test("1,000 requests at once are all answered", (t) =>
	withShared(t, [], async ({ host }) => {
		const all = await Promise.all(Array.from({ length: 1_000 }, () => host.request(hostStatus, {})));
		assert.equal(all.length, 1_000);
	}));

/** The errors that the host has answered since it had sent so many messages. */
function errorsAfter(
	host: HostProcess,
	before: number,
): readonly { readonly code: number; readonly message: string }[] {
	return host.received.messages.slice(before).flatMap((text) => JSON.parse(text).error ?? []);
}

async function assertAlive(host: HostProcess): Promise<void> {
	assert.equal((await host.request(hostStatus, {})).pid, host.pid);
	assert.deepEqual(host.events(await aThread(host)), []);
}
