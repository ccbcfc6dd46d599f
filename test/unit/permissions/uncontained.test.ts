import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
	matchesRule,
	matchesUncontained,
	offerUncontained,
} from "../../../agent-host/permissions/command-lines/prefix-rules.ts";
import { decide } from "../../../agent-host/permissions/decide/decide.ts";
import type { Access, Policy } from "../../../agent-host/permissions/policy/policy.ts";
import { isWithin } from "../../../agent-host/permissions/reach/is-within.ts";
import { mayRun } from "../../../agent-host/permissions/reach/may-run.ts";
import { describePolicy, namePolicy, policyLines } from "../../../agent-host/permissions/words/policy-words.ts";
import {
	ApprovalPolicy,
	type CommandRule,
	PermissionMode,
} from "../../../agent-host/protocol/settings/policy-settings.ts";
import { aPolicy } from "../../support/a-policy.ts";

/** A policy on a machine without a sandbox. */
function without(changes: Parameters<typeof aPolicy>[0] = {}): Policy {
	return { ...aPolicy(changes), noSandbox: "bwrap-missing" };
}

const ARGV = ["/bin/bash", "-c", "make all"];
const make = { kind: "command", command: ["make", "all"], cwd: "/repo", argv: ARGV, escalated: false } as const;
const wide = { targets: ["/etc"], files: 3, isWhole: true };
const planned = { plan: { mode: "workspaceWrite", network: "off" } } as const;
const EXACT: CommandRule = { prefix: ARGV, sandbox: "none" };
const CLOSED = { filesystem: [{ path: "/repo/secret", access: "none" as const }] };

function kindIn(policy: Policy, access: Access = make): string {
	return decide(access, policy).kind;
}

test("without a sandbox every command needs approval, even the user's own, except with Full Access", () => {
	const accesses: readonly Access[] = [make, { ...make, typed: true }, { ...make, escalated: true }];
	for (const access of accesses) {
		const kinds = PermissionMode.options.map((mode) => kindIn(without({ permissions: { mode } }), access));
		assert.deepEqual(kinds, ["ask", "ask", "ask", "allow"]);
	}
	const asked = decide(make, without());
	assert.match(asked.reason.text, /^No sandbox on this machine: it runs with your rights\./);
});

test("without a sandbox plan mode, approval never and a path that the user closed refuse every command", () => {
	for (const mode of PermissionMode.options) {
		const permissions = { mode, rules: [EXACT] };
		assert.equal(kindIn({ ...without({ permissions }), ...planned }), "deny");
		assert.equal(kindIn(without({ permissions: { ...permissions, ...CLOSED } })), "deny");
		assert.equal(kindIn(without({ permissions, approval: "never" })), mode === "full" ? "allow" : "deny");
	}
	const closed = decide(make, without({ permissions: CLOSED }));
	assert.match(closed.reason.text, /^\/repo\/secret is blocked, and this machine has no sandbox/);
});

test("without a sandbox a wide deletion needs approval, whatever the mode and the rules", () => {
	for (const mode of PermissionMode.options) {
		const policy = without({ permissions: { mode, rules: [EXACT] } });
		assert.equal(kindIn(policy, { ...make, deletes: wide }), "ask", mode);
	}
});

test("only a rule for exactly this argv allows a command without a sandbox, and no such rule applies with one", () => {
	const verdict = (rule: CommandRule) => kindIn(without({ permissions: { rules: [rule] } }));
	assert.equal(verdict(EXACT), "allow");
	assert.equal(verdict({ prefix: ["make", "all"] }), "ask");
	assert.equal(verdict({ prefix: ARGV }), "ask");
	assert.equal(verdict({ prefix: ["make", "all"], sandbox: "none" }), "ask");
	assert.equal(verdict({ prefix: ARGV.slice(0, 2), sandbox: "none" }), "ask");
	assert.equal(verdict({ prefix: [...ARGV, "x"], sandbox: "none" }), "ask");
	const rules = [{ prefix: ["make", "all"], sandbox: "none" as const }];
	assert.equal(kindIn(aPolicy({ permissions: { rules }, approval: "untrusted" })), "ask");
});

test("a rule for a machine without a sandbox covers what it was offered for and nothing else", () => {
	const words = fc.array(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 });
	fc.assert(
		fc.property(words, words, (argv, other) => {
			const [rule = assert.fail()] = offerUncontained(argv) ?? [];
			assert.equal(matchesUncontained(rule, argv), true);
			assert.equal(matchesUncontained(rule, other), JSON.stringify(argv) === JSON.stringify(other));
			assert.equal(matchesUncontained({ prefix: argv }, argv), false);
			assert.equal(matchesRule(rule, argv), false);
		}),
	);
	assert.equal(offerUncontained(["a", "x".repeat(1_001)]), undefined);
	assert.equal(offerUncontained(["a", ""]), undefined);
});

test("commands are offered exactly if one could run, and the policy's text says the same", () => {
	const modes = [undefined, planned] as const;
	for (const mode of PermissionMode.options) {
		for (const approval of ApprovalPolicy.options) {
			for (const closed of [{}, CLOSED]) {
				for (const plan of modes) {
					const policy = { ...without({ permissions: { mode, ...closed }, approval }), ...plan };
					const [runs, text] = [kindIn(policy) !== "deny", policyLines(describePolicy(policy)).join("\n")];
					assert.equal(mayRun(policy), runs, text);
					assert.equal(/commands can't run/.test(text), !runs, text);
					assert.equal(/no commands/.test(namePolicy(policy)), !runs);
					assert.equal(/no sandbox/.test(namePolicy(policy)), runs);
					assert.equal(/needs the user's approval and runs/.test(text), runs && mode !== "full");
					assert.doesNotMatch(text, /in a sandbox|Private to this thread/);
				}
			}
		}
	}
	assert.equal(mayRun(without({ places: { trusted: false } })), false);
});

test("input for a command without a sandbox needs approval every time, except with Full Access", () => {
	const input = (rights: Policy): Access => ({ kind: "input", processId: "p1", escalated: false, rights });
	for (const mode of PermissionMode.options) {
		const policy = without({ permissions: { mode, rules: [EXACT] } });
		assert.equal(kindIn(policy, input(policy)), mode === "full" ? "allow" : "ask");
		assert.equal(kindIn({ ...policy, ...planned }, input(policy)), "deny");
	}
	assert.match(decide(input(without()), without()).reason.text, /input for a command that runs with your rights/);
	// The sandbox came back: what runs without it has more rights than the turn.
	assert.equal(kindIn(aPolicy(), input(without())), "deny");
	// The sandbox is gone: what runs in it is still contained.
	assert.equal(kindIn(without(), input(aPolicy())), "allow");
});

test("a command without a sandbox is within no policy of a machine that has one", () => {
	for (const mode of PermissionMode.options) {
		const permissions = { mode };
		assert.equal(isWithin(without({ permissions }), aPolicy({ permissions })), false);
		assert.equal(isWithin(aPolicy({ permissions }), without({ permissions })), true);
	}
});
