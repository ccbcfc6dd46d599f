import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import fc from "fast-check";
import { blockAround, isInAny, isPublic, parseAddress } from "../../../agent-host/network/addresses.ts";
import { parseHost, parseTarget, targetText } from "../../../agent-host/network/host-name.ts";
import {
	type HostRule,
	judgeAddresses,
	judgeTarget,
	parseRule,
	parseRules,
} from "../../../agent-host/network/host-rules.ts";
import { SYSTEM_NETWORK } from "../../../agent-host/network/network-ports.ts";
import { CLOSED_ADDRESSES, NO_HOSTS, OPEN_ADDRESSES, SAME_HOSTS } from "./spellings.ts";

test("text that two programs could read differently is neither a host nor a rule", () => {
	assert.deepEqual(
		NO_HOSTS.filter((text) => parseHost(text) !== undefined),
		[],
	);
	assert.deepEqual(
		NO_HOSTS.filter((text) => !/^\*(?:\.|$)/.test(text) && text.trim() === text && parseRule(text) !== undefined),
		[],
	);
});

test("a name has one spelling", () => {
	for (const [written, name] of SAME_HOSTS) assert.deepEqual(parseHost(written), { kind: "name", name }, written);
});

test("normalizing a host twice gives the same host", () => {
	let read = 0;
	fc.assert(
		fc.property(
			fc.oneof(
				fc.domain(),
				fc.ipV4(),
				fc.ipV6().map((text) => `[${text}]`),
				fc.string({ unit: "grapheme" }),
			),
			(text) => {
				const target = parseTarget(`${text}:8080`, undefined);
				if (target === undefined) return;
				read += 1;
				assert.deepEqual(parseTarget(targetText(target), undefined), target);
				assert.match(targetText(target), /^[\x21-\x7e]+$/);
			},
		),
	);
	assert.ok(read > 30, `${read} of 100 texts are hosts`);
});

test("only addresses of the open network are public", () => {
	const isOpen = (text: string) => {
		const address = parseAddress(text);
		assert.ok(address !== undefined, text);
		return isPublic(address);
	};
	assert.deepEqual(CLOSED_ADDRESSES.filter(isOpen), []);
	assert.deepEqual(
		OPEN_ADDRESSES.filter((text) => !isOpen(text)),
		[],
	);
});

test("a rule opens its host on the web's ports or on the one it names, and a star opens what lies below", () => {
	const rules = rulesOf(["example.org", "git.example.org:22", "*.cdn.example", "[2606:4700::1]:853"]);
	const asked: readonly (readonly [string, boolean])[] = [
		["example.org:443", true],
		["EXAMPLE.org.:80", true],
		["example.org:22", false],
		["git.example.org:22", true],
		["git.example.org:443", false],
		["a.cdn.example:443", true],
		["a.b.cdn.example:443", true],
		["cdn.example:443", false],
		["evilcdn.example:443", false],
		["example.org.evil.net:443", false],
		["evil-example.org:443", false],
		["[2606:4700::1]:853", true],
		["[2606:4700:0::1]:853", true],
		["[2606:4700::2]:853", false],
	];
	for (const [text, opens] of asked) assert.equal(opensTo(rules, text), opens, text);
});

test("a star alone opens every public host on the web's ports, and nothing of this machine or a private network", () => {
	const rules = rulesOf(["*", "*:22", "!ads.example.org", "10.0.0.7:443"]);
	for (const text of ["example.org:443", "a.example:80", "1.1.1.1:443", "git.example:22"])
		assert.ok(opensTo(rules, text), text);
	for (const text of ["example.org:8080", "ads.example.org:443", "localhost:443", "a.localhost:80"])
		assert.ok(!opensTo(rules, text), text);
	for (const text of CLOSED_ADDRESSES) {
		assert.equal(judgeAddresses(rules, [text], 443, []).kind, "deny", text);
		assert.equal(judgeAddresses(rules, ["1.1.1.1", text], 443, []).kind, "deny", text);
		assert.ok(!opensTo(rules, `${text.includes(":") ? `[${text}]` : text}:443`), text);
	}
	assert.equal(judgeAddresses(rules, ["10.0.0.7"], 443, []).kind, "allow");
});

test("a rule that closes beats every rule that opens, in any order and on every port", () => {
	for (const lines of [
		["*.example.org", "!ads.example.org"],
		["!ads.example.org", "*.example.org", "ads.example.org:443"],
	]) {
		assert.equal(opensTo(rulesOf(lines), "ads.example.org:443"), false);
		assert.equal(opensTo(rulesOf(lines), "www.example.org:443"), true);
	}
});

test("more rules that close never open anything", () => {
	const line = fc.constantFrom("a.example", "*.example.org", "b.example.org", "b.example.org:8080", "1.1.1.1");
	const target = fc.constantFrom(
		"a.example:443",
		"b.example.org:443",
		"b.example.org:8080",
		"x.example.org:80",
		"1.1.1.1:80",
	);
	fc.assert(
		fc.property(fc.array(line), line, target, (lines, closed, asked) => {
			const before = opensTo(rulesOf(lines), asked);
			const after = opensTo(rulesOf([...lines, `!${closed}`]), asked);
			assert.ok(before || !after);
		}),
	);
});

test("a line that cannot be read makes the list unreadable, and is named", () => {
	for (const line of [
		"!*",
		"*.*",
		"**",
		"*:0",
		"*.com",
		"!",
		"a:0",
		"a:65536",
		"a:x",
		"http://a.example",
		"a.example/path",
		"*.1.1.1.1",
		"a*.example",
	])
		assert.deepEqual(parseRules(["a.example", line]), { unreadable: line });
});

test("a name is followed only when all its addresses are public or named by a rule themselves", () => {
	const rules = rulesOf(["example.org", "10.0.0.7:443", "!8.8.4.4"]);
	const judge = (...addresses: readonly string[]) => judgeAddresses(rules, addresses, 443, []);
	assert.deepEqual(judge("1.1.1.1", "2606:4700::1"), { kind: "allow", addresses: ["1.1.1.1", "2606:4700::1"] });
	assert.equal(judge("10.0.0.7").kind, "allow");
	assert.equal(judge("1.1.1.1", "10.0.0.8").kind, "deny");
	assert.equal(judge("1.1.1.1", "8.8.4.4").kind, "deny");
	assert.equal(judge().kind, "deny");
	assert.equal(judge("not an address").kind, "deny");
	for (const address of CLOSED_ADDRESSES) assert.equal(judge(address).kind, "deny", address);
});

test("no name leads to this machine or a neighbour, however public its address looks, unless a rule lists it", () => {
	const nearby = ["93.184.216.34", "2606:4700::1"].map((text) => blockAround(parseAddress(text) ?? assert.fail()));
	const judge = (lines: readonly string[], address: string) => judgeAddresses(rulesOf(lines), [address], 443, nearby);
	for (const address of ["93.184.216.34", "2606:4700::1", "2606:4700::ffff:2"]) {
		for (const line of ["example.org", "*"]) assert.equal(judge([line], address).kind, "deny", `${line}: ${address}`);
		assert.equal(judge([address.includes(":") ? `[${address}]` : address], address).kind, "allow", address);
	}
	for (const address of ["93.184.216.35", "2606:4700:0:1::1"])
		assert.equal(judge(["*"], address).kind, "allow", address);
});

test("every address of this machine is near to it", () => {
	const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
	assert.ok(all.length > 0);
	for (const { address } of all)
		assert.ok(isInAny(SYSTEM_NETWORK.nearby(), parseAddress(address) ?? assert.fail(address)), address);
});

function rulesOf(lines: readonly string[]): readonly HostRule[] {
	const rules = parseRules(lines);
	if ("unreadable" in rules) throw new Error(rules.unreadable);
	return rules;
}

function opensTo(rules: readonly HostRule[], text: string): boolean {
	const target = parseTarget(text, undefined);
	assert.ok(target !== undefined, text);
	return judgeTarget(rules, target).kind === "allow";
}
