import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decide } from "../../../agent-host/permissions/decide/decide.ts";
import { type Access, digestPolicy } from "../../../agent-host/permissions/policy/policy.ts";
import { findProblem } from "../../../agent-host/permissions/policy/sandbox-problem.ts";
import { mayEdit } from "../../../agent-host/permissions/reach/may-run.ts";
import { writableRoots } from "../../../agent-host/permissions/reach/reach.ts";
import { turnPolicy } from "../../../agent-host/permissions/resolve/turn-policy.ts";
import { describePolicy, namePolicy } from "../../../agent-host/permissions/words/policy-words.ts";
import { mergeSettings, type PartialSettings, Settings } from "../../../agent-host/protocol/settings/settings.ts";
import { aPolicy, PLACES } from "../../support/a-policy.ts";

const SANDBOX = { kind: "bubblewrap" } as const;
const PATHS = ["/", "/repo", "/repo/sub", "/elsewhere", ":tmp", ":home", "~/x"];

const settings = fc.record({
	mode: fc.constantFrom("readOnly" as const, "ask" as const, "workspaceWrite" as const, "full" as const),
	network: fc.constantFrom("off" as const, "allowList" as const, "on" as const),
	allowedDomains: fc.subarray(["example.org"]),
	writableRoots: fc.subarray(PATHS),
	filesystem: fc.subarray(PATHS).map((paths) => paths.map((path) => ({ path, access: "write" as const }))),
	rules: fc.subarray([{ prefix: ["touch"] }]),
});
const approvals = fc.constantFrom("untrusted" as const, "onRequest" as const, "never" as const);

function planning(change: PartialSettings): Settings {
	return mergeSettings(Settings.parse({}), { ...change, modes: { collaboration: "plan" } });
}

const BEYOND: readonly Access[] = [
	{ kind: "edit", targets: [{ path: "a", resolved: "/repo/a", overwrites: false }] },
	{ kind: "command", command: ["touch", "a"], cwd: "/repo", escalated: true },
	{ kind: "command", command: ["git", "commit"], cwd: "/repo", escalated: false, repository: "/repo/.git" },
	{ kind: "closedRead", places: [{ path: "/home/me/.ssh", shown: "~/.ssh" }] },
	{ kind: "input", processId: "p1", escalated: true, rights: aPolicy({ permissions: { mode: "readOnly" } }) },
	{ kind: "input", processId: "p1", escalated: false, rights: aPolicy() },
	{ kind: "network", host: "example.org", port: 443 },
];

test("a plan-mode policy allows no writing and no network, whatever is set, and no approval opens more", () => {
	fc.assert(
		fc.property(settings, approvals, fc.boolean(), (permissions, approval, isWhole) => {
			const whole = isWhole ? aPolicy({ permissions }) : undefined;
			const policy = turnPolicy(planning({ permissions, approval }), PLACES, whole, SANDBOX);
			assert.deepEqual([policy.mode, policy.network.kind, writableRoots(policy)], ["readOnly", "off", []]);
			assert.equal(mayEdit(policy), false);
			for (const access of BEYOND) {
				const verdict = decide(access, policy);
				assert.equal(verdict.kind, "deny", JSON.stringify([access, verdict]));
			}
			assert.match(describePolicy(policy).approval, /^Plan mode: nothing can be changed in this turn/);
			assert.match(namePolicy(policy), /^Read Only, plan mode/);
		}),
	);
});

test("in plan mode a command needs approval exactly if it would outside it", () => {
	const read: Access = { kind: "command", command: ["cat", "a"], cwd: "/repo", escalated: false };
	const verdictOf = (mode: Settings["permissions"]["mode"], approval: Settings["approval"]) => {
		const policy = turnPolicy(planning({ permissions: { mode }, approval }), PLACES, undefined, SANDBOX);
		return decide(read, policy).kind;
	};
	assert.equal(verdictOf("workspaceWrite", "onRequest"), "allow");
	assert.equal(verdictOf("full", "never"), "allow");
	assert.equal(verdictOf("ask", "onRequest"), "ask");
	assert.equal(verdictOf("workspaceWrite", "untrusted"), "ask");
	assert.equal(verdictOf("ask", "never"), "deny");
});

test("a policy is the same object until something it is made from changes", () => {
	const base = Settings.parse({});
	const make = (of: Settings, places = PLACES, sandbox: Parameters<typeof turnPolicy>[3] = SANDBOX) =>
		turnPolicy(of, places, undefined, sandbox);
	const policy = make(base);
	assert.equal(make(structuredClone(base), structuredClone(PLACES)), policy);
	const others = [
		make(mergeSettings(base, { permissions: { network: "on" } })),
		make(mergeSettings(base, { approval: "never" })),
		make(planning({})),
		make(base, { ...PLACES, trusted: false }),
		make(base, { ...PLACES, versionControl: ["/elsewhere/.git"] }),
		make(base, PLACES, { kind: "none", problem: findProblem("bwrap-missing") }),
	];
	for (const other of others) assert.notDeepEqual(other, policy);
});

test("the digest of a policy follows each of its changes until it is sealed", () => {
	const policy = { ...aPolicy() };
	const before = digestPolicy(policy);
	assert.equal(digestPolicy(policy), before);
	policy.commands = !policy.commands;
	assert.notEqual(digestPolicy(policy), before);
	const sealed = Object.freeze({ ...policy });
	assert.deepEqual([digestPolicy(sealed), digestPolicy(sealed)], [digestPolicy(policy), digestPolicy(policy)]);
});
