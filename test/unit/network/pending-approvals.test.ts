import assert from "node:assert/strict";
import { test } from "node:test";
import { blockAround, parseAddress } from "../../../agent-host/network/addresses.ts";
import { parseTarget, type Target } from "../../../agent-host/network/host-name.ts";
import type { AskHost, HostAnswer, UnlistedHost } from "../../../agent-host/network/host-rules.ts";
import { createPendingApprovals, MAX_ASKED, MAX_HELD } from "../../../agent-host/network/pending-approvals.ts";

const LONG_MS = 600_000;
const NEARBY = ["93.184.216.34", "2606:4700::1"].map((text) => blockAround(parseAddress(text) ?? assert.fail()));

function target(text: string): Target {
	return parseTarget(text, 443) ?? assert.fail(text);
}

/** Somebody who answers when the test says so. */
function aUser() {
	const asked: (UnlistedHost & { readonly answer: (answer: HostAnswer) => void; readonly signal: AbortSignal })[] = [];
	const ask: AskHost = (host, signal) =>
		new Promise((answer, reject) => {
			asked.push({ ...host, answer, signal });
			signal.addEventListener("abort", () => reject(signal.reason));
		});
	return { ask, asked };
}

test("many connections to one host need one approval, and its answer covers all of them and later ones", async () => {
	const { ask, asked } = aUser();
	const approvals = createPendingApprovals(ask, LONG_MS, () => []);
	const held = ["a.org", "a.org:80", "A.ORG.", "a.org:443"].map((text) => approvals.decide(target(text)));
	assert.deepEqual(
		asked.map(({ host, port, rule }) => [host, port, rule]),
		[["a.org", 443, "a.org"]],
	);
	asked[0]?.answer({ kind: "allow" });
	assert.deepEqual(
		(await Promise.all(held)).map(({ kind }) => kind),
		["allow", "allow", "allow", "allow"],
	);
	assert.equal((await approvals.decide(target("a.org"))).kind, "allow");
	assert.equal(asked.length, 1);
});

test("an approval allows one host on the web's ports, or on the one port that was requested", async () => {
	const { ask, asked } = aUser();
	const approvals = createPendingApprovals(ask, LONG_MS, () => []);
	for (const text of ["a.org:443", "a.org:8443", "b.a.org:443"]) void approvals.decide(target(text));
	assert.deepEqual(
		asked.map(({ rule }) => rule),
		["a.org", "a.org:8443", "b.a.org"],
	);
	approvals.close();
});

test("this machine and its neighbours are refused without an approval", async () => {
	const asked: UnlistedHost[] = [];
	const agree: AskHost = async (host) => {
		asked.push(host);
		return { kind: "allow" };
	};
	const approvals = createPendingApprovals(agree, LONG_MS, () => NEARBY);
	// The last two look public, and are this machine and a neighbour.
	const places = [
		"localhost",
		"x.localhost:8080",
		"127.0.0.1",
		"10.0.0.1",
		"169.254.169.254",
		"[::1]",
		"[fd00::1]",
		"93.184.216.34",
		"[2606:4700::1:2]",
	];
	for (const text of places) {
		assert.deepEqual(await approvals.decide(target(text)), { kind: "deny", reason: "not an allowed site" }, text);
	}
	assert.deepEqual(asked, []);
});

test("waiting hosts and connections are limited, and those beyond the limit are refused at once with the reason", async () => {
	const { ask, asked } = aUser();
	const approvals = createPendingApprovals(ask, LONG_MS, () => []);
	const names = Array.from({ length: MAX_ASKED + 1 }, (_, index) => `h${index}.org`);
	const many = names.map((name) => approvals.decide(target(name)));
	assert.match(JSON.stringify(await many.at(-1)), /can ask for at most 10 sites/);
	assert.equal(asked.length, MAX_ASKED);
	const rest = Array.from({ length: MAX_HELD - MAX_ASKED + 1 }, () => approvals.decide(target("h0.org")));
	assert.match(JSON.stringify(await rest.at(-1)), /32 connections are already waiting/);
	for (const { answer } of asked) answer({ kind: "deny", reason: "no" });
	await Promise.all([...many, ...rest]);
	assert.equal((await approvals.decide(target("h0.org"))).kind, "deny");
	assert.equal(asked.length, MAX_ASKED);
});

test("a timeout, a failed approval and the end of a command are refusals and withdraw the approval", async () => {
	const late = aUser();
	const refused = { kind: "deny", reason: "not an allowed site, and there was no answer" };
	assert.deepEqual(await createPendingApprovals(late.ask, 1, () => []).decide(target("a.org")), refused);
	assert.equal(late.asked[0]?.signal.aborted, true);
	const failing = createPendingApprovals(
		() => Promise.reject(new Error("nobody is there")),
		LONG_MS,
		() => [],
	);
	assert.deepEqual(await failing.decide(target("a.org")), refused);
	const ended = aUser();
	const approvals = createPendingApprovals(ended.ask, LONG_MS, () => []);
	const held = approvals.decide(target("a.org"));
	approvals.close();
	assert.deepEqual([await held, ended.asked[0]?.signal.aborted], [refused, true]);
});
