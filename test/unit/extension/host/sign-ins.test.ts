import assert from "node:assert/strict";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { createServerCredentials } from "../../../../extension/facts/server-credentials.ts";
import { openLoopbackRedirect } from "../../../../extension/host/loopback-redirect.ts";
import { createPendingSignIns } from "../../../../extension/host/pending-sign-ins.ts";

const STATE = "s".repeat(64);
const NO_KEYS = { get: async () => undefined, set: async () => undefined, remove: async () => undefined };
const PAGES = { done: "done", unexpected: "unexpected" };

test("a sign-in started here accepts one answer, and only its code, state and issuer", async (t) => {
	const pending = createPendingSignIns();
	t.after(pending.dropAll);
	let ended = 0;
	pending.begin(STATE, () => {
		ended += 1;
	});
	for (const query of ["", "code=x", `code=x&state=${"t".repeat(64)}`, `code=x&state=${STATE.slice(1)}`]) {
		assert.equal(pending.receive(query), false, query);
	}
	const back = new URLSearchParams({ code: "c", state: STATE, iss: "https://a", prompt: "rm -rf", windowId: "1" });
	assert.equal(pending.receive(back.toString()), true);
	assert.equal(pending.receive(back.toString()), false, "once");
	const { state, code, iss, ...rest } = Object.fromEntries(new URLSearchParams(await pending.wait(STATE)));
	assert.deepEqual([state, code, iss, rest, ended], [STATE, "c", "https://a", {}, 1]);
	assert.equal(await pending.wait(STATE), undefined, "nothing is kept of it");
});

test("a cancelled sign-in accepts no answer", async (t) => {
	const pending = createPendingSignIns();
	t.after(pending.dropAll);
	pending.begin(STATE, () => undefined);
	const waiting = pending.wait(STATE);
	pending.cancel(STATE);
	assert.equal(await waiting, undefined);
	assert.equal(pending.receive(`code=x&state=${STATE}`), false);
});

test("when a host ends, so do its sign-ins and the pages that wait for them", async () => {
	const pending = createPendingSignIns();
	const { address, close } = await openLoopbackRedirect({}, pending.receive, PAGES);
	pending.begin(STATE, close);
	const waiting = pending.wait(STATE);
	pending.dropAll();
	assert.equal(await waiting, undefined);
	await assert.rejects(fetch(`${address}?code=x&state=${STATE}`));
	pending.begin(STATE, () => undefined);
	assert.equal(pending.receive(`code=x&state=${STATE}`), true, "the next host can begin it again");
	pending.dropAll();
});

test("the local page accepts the expected answer once, at its own path, and is gone afterwards", async (t) => {
	const pending = createPendingSignIns();
	t.after(pending.dropAll);
	const { address, close } = await openLoopbackRedirect({}, pending.receive, PAGES);
	assert.match(await sendRaw(Number(new URL(address).port), "GET // HTTP/1.0\r\n\r\n"), /404/, "no address at all");
	pending.begin(STATE, close);
	assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/signed-in$/);
	const other = await fetch(new URL(`/?code=x&state=${STATE}`, address));
	assert.deepEqual([other.status, await other.text()], [404, "unexpected"]);
	const posted = await fetch(`${address}?code=x&state=${STATE}`, { method: "POST" });
	assert.equal(posted.status, 404);
	const response = await fetch(`${address}?code=x?y&state=${STATE}`);
	assert.deepEqual([response.status, await response.text()], [200, "done"]);
	assert.equal(response.headers.get("referrer-policy"), "no-referrer");
	assert.equal(new URLSearchParams(await pending.wait(STATE)).get("code"), "x?y");
	await assert.rejects(fetch(`${address}?code=x&state=${STATE}`));
});

test("the result of a sign-in is kept as a secret of one address, and is removed with it", async () => {
	const secrets = new Map<string, string>();
	const credentials = createServerCredentials(
		{
			get: async (name) => secrets.get(name),
			store: async (name, value) => void secrets.set(name, value),
			delete: async (name) => void secrets.delete(name),
		},
		NO_KEYS,
	);
	await credentials.keep("https://a.example/mcp", "one");
	assert.equal(await credentials.get("https://a.example/mcp"), "one");
	for (const other of ["https://a.example/", "https://b.example/mcp", "http://a.example/mcp"]) {
		assert.equal(await credentials.get(other), undefined, other);
	}
	await credentials.keep("https://a.example/mcp", undefined);
	assert.equal(secrets.size, 0);
});

async function sendRaw(port: number, bytes: string): Promise<string> {
	const socket = connect(port, "127.0.0.1");
	socket.end(bytes);
	return text(socket);
}
