import assert from "node:assert/strict";
import { test } from "node:test";
import type { AskHost } from "../../../agent-host/network/host-rules.ts";
import { createFetchPage } from "../../../agent-host/session/tools/web-ports.ts";

const SIGNAL = new AbortController().signal;
/** Nothing is reached: what counts is what is asked before. */
const NOWHERE = { nearby: () => [], lookup: async () => [], dial: () => assert.fail("dialled") };
const LIST = { kind: "allow", hosts: ["docs.example.org", "!bad.example.org"] } as const;

function anAsker() {
	const asked: string[] = [];
	const askHost: AskHost = async ({ host }) => {
		asked.push(host);
		return { kind: "allow" };
	};
	return { asked, askHost };
}

test("a site that the list blocks is refused without a question; any other one is judged", async () => {
	const { asked, askHost } = anAsker();
	const fetchPage = createFetchPage(LIST, NOWHERE);
	const got = await fetchPage({ url: "https://bad.example.org/", askHost }, SIGNAL);
	assert.deepEqual(got, { ok: false, reason: "bad.example.org is blocked by the rule !bad.example.org." });
	assert.deepEqual(asked, []);
	await fetchPage({ url: "https://docs.example.org/", askHost }, SIGNAL);
	await fetchPage({ url: "https://new.example.org/", askHost }, SIGNAL);
	assert.deepEqual(asked, ["docs.example.org", "new.example.org"]);
});

test("if the network is off, or no one can be asked, nothing is fetched", async () => {
	const { asked, askHost } = anAsker();
	const url = "https://docs.example.org/";
	assert.equal((await createFetchPage({ kind: "off" }, NOWHERE)({ url, askHost }, SIGNAL)).ok, false);
	assert.equal((await createFetchPage({ kind: "on" }, NOWHERE)({ url }, SIGNAL)).ok, false);
	assert.deepEqual(asked, []);
});

test("a turn fetches at most ten pages", async () => {
	const { asked, askHost } = anAsker();
	const fetchPage = createFetchPage(LIST, NOWHERE);
	for (let count = 0; count < 12; count += 1) await fetchPage({ url: "https://docs.example.org/", askHost }, SIGNAL);
	assert.equal(asked.length, 10);
});
