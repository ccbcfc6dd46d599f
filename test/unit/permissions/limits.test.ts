import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decide } from "../../../agent-host/permissions/decide/decide.ts";
import { isWithin } from "../../../agent-host/permissions/reach/is-within.ts";
import { accessTo } from "../../../agent-host/permissions/reach/reach.ts";
import { findBeyondLimits, findForbidding } from "../../../agent-host/permissions/resolve/limit-servers.ts";
import { limitSettings } from "../../../agent-host/permissions/resolve/limit-settings.ts";
import { turnPolicy } from "../../../agent-host/permissions/resolve/turn-policy.ts";
import { describePolicy, policyLines } from "../../../agent-host/permissions/words/policy-words.ts";
import { ManagedLimits } from "../../../agent-host/protocol/settings/managed-limits.ts";
import { NetworkMode, PermissionMode } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { ServerSettings } from "../../../agent-host/protocol/settings/server-settings.ts";
import { mergeSettings, type PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { aPolicy, PLACES } from "../../support/a-policy.ts";

const FILE = "/etc/vitrine/limits.json";
const SANDBOX = { kind: "bubblewrap" } as const;

function limited(settings: PartialSettings, limits: ManagedLimits, whole?: ReturnType<typeof aPolicy>) {
	const managed = [{ file: FILE, limits }];
	return turnPolicy(limitSettings(mergeSettings(settings), managed), { ...PLACES, managed }, whole, SANDBOX);
}

const PATHS = ["/", "/repo/sub", "/data", "/data/x", ":tmp", ":home", "~/x", "/home/me/x/y"];
const HOSTS = ["example.org", "*.example.org", "a.example.org:8080", "!b.example.org"];
const someSettings = fc.record({
	permissions: fc.record({
		mode: fc.constantFrom(...PermissionMode.options),
		network: fc.constantFrom(...NetworkMode.options),
		allowedDomains: fc.subarray(HOSTS),
		writableRoots: fc.subarray(PATHS),
		denyRead: fc.subarray([...PATHS, "**/*.key"]),
		filesystem: fc
			.subarray(PATHS)
			.chain((paths) =>
				fc.tuple(
					...paths.map((path) => fc.record({ path: fc.constant(path), access: fc.constantFrom("read", "write") })),
				),
			),
	}),
	approval: fc.constantFrom("untrusted", "onRequest", "never"),
	budgets: fc.record({ day: fc.record({ tokens: fc.option(fc.constantFrom(5, 50), { nil: undefined }) }) }),
}) as fc.Arbitrary<PartialSettings>;
const someLimits = fc.record(
	{
		mode: fc.constantFrom(...PermissionMode.options),
		network: fc.constantFrom(...NetworkMode.options),
		allowedDomains: fc.subarray(HOSTS),
		denyRead: fc.subarray([...PATHS.slice(1), "**/secret/**"]),
		sandbox: fc.constant("always" as const),
		budgets: fc.record({ day: fc.record({ tokens: fc.constantFrom(1, 10, 100) }) }),
	},
	{ requiredKeys: [] },
);

test("whatever is set, limits open nothing, and what they close stays closed", () => {
	fc.assert(
		fc.property(someSettings, someLimits, fc.boolean(), (settings, limits, isWhole) => {
			const whole = isWhole ? aPolicy({ permissions: { mode: "full" } }) : undefined;
			const free = turnPolicy(mergeSettings(settings), PLACES, whole, SANDBOX);
			const policy = limited(settings, limits, whole);
			assert.ok(isWithin({ ...policy, approval: free.approval }, free), JSON.stringify({ policy, free }));
			for (const path of ["/data/x/y", "/home/me/x/y/z", "/repo/sub/a"]) {
				const closed = (limits.denyRead ?? []).some((one) =>
					path.startsWith(`${one.replace(/^~|^:home/, "/home/me")}/`),
				);
				if (closed) assert.equal(accessTo(policy, path), "none", path);
			}
			const order = PermissionMode.options;
			assert.ok(order.indexOf(policy.mode) <= order.indexOf(limits.mode ?? "full"));
			if (limits.network === "off") assert.equal(policy.network.kind, "off");
		}),
		{ numRuns: 500 },
	);
});

test("budgets are the smaller of both", () => {
	const day = (own: object, limit: object) =>
		limitSettings(mergeSettings({ budgets: { day: own } }), [{ file: FILE, limits: { budgets: { day: limit } } }])
			.budgets.day;
	assert.deepEqual(day({ tokens: 5, money: 3 }, { tokens: 9, requests: 2 }), { tokens: 5, money: 3, requests: 2 });
	assert.deepEqual(day({ tokens: 9 }, { tokens: 5 }), { tokens: 5 });
});

test("no approval opens a host or a place that the limits close, or a run outside the sandbox that they forbid", () => {
	const policy = limited(
		{ permissions: { mode: "workspaceWrite", network: "allowList" } },
		{ allowedDomains: ["*.example.org"], sandbox: "always", denyRead: ["~/work"] },
	);
	const verdict = (access: Parameters<typeof decide>[0]) => decide(access, policy).kind;
	assert.equal(verdict({ kind: "network", host: "a.example.org", port: 443 }), "ask");
	assert.equal(verdict({ kind: "network", host: "elsewhere.org", port: 443 }), "deny");
	assert.equal(verdict({ kind: "command", command: ["ls"], cwd: "/repo", escalated: true }), "deny");
	assert.equal(verdict({ kind: "closedRead", places: [{ path: "/home/me/work/a", shown: "~/work/a" }] }), "deny");
});

test("the user's hosts stay only if the limits cover them, and an open network becomes the hosts in the limits", () => {
	const hosts = (permissions: PartialSettings["permissions"], allowedDomains: readonly string[]) => {
		const { network } = limited({ permissions: permissions ?? {} }, { allowedDomains: [...allowedDomains] });
		return network.kind === "allow" ? network.hosts : network.kind;
	};
	const own = { network: "allowList", allowedDomains: ["a.example.org", "*.example.org", "other.org"] } as const;
	assert.deepEqual(hosts({ ...own, allowedDomains: [...own.allowedDomains] }, ["*.example.org"]), [
		"a.example.org",
		"*.example.org",
	]);
	assert.deepEqual(hosts({ network: "on" }, ["example.org", "!b.example.org"]), ["example.org", "!b.example.org"]);
	assert.deepEqual(hosts({ mode: "full" }, ["example.org"]), ["example.org"]);
	assert.deepEqual(hosts({ network: "off" }, ["example.org"]), "off");
});

test("on a machine without a sandbox no command runs if the limits want one", () => {
	const managed = [{ file: FILE, limits: { sandbox: "always" as const } }];
	const settings = limitSettings(mergeSettings({ permissions: { mode: "full" } }), managed);
	const none = { kind: "none", problem: { code: "bwrap-missing" } } as Parameters<typeof turnPolicy>[3];
	const policy = turnPolicy(settings, { ...PLACES, managed }, undefined, none);
	const verdict = decide({ kind: "command", command: ["ls"], cwd: "/repo", argv: ["ls"], escalated: false }, policy);
	assert.match(verdict.reason.text, /\/etc\/vitrine\/limits\.json lets no command run without one/);
	assert.equal(verdict.kind, "deny");
});

test("the policy names the file that limits it, and a key that nobody knows is an error", () => {
	assert.ok(
		policyLines(describePolicy(limited({}, {})))
			.at(-1)
			?.includes(FILE),
	);
	assert.equal(ManagedLimits.safeParse({ mod: "readOnly" }).success, false);
	assert.equal(ManagedLimits.safeParse({ budgets: { week: {} } }).success, false);
});

test("an administrator allows and denies MCP servers by name, and every file counts", () => {
	const under = (...all: readonly ManagedLimits[]) =>
		["docs", "files", "other"].filter(
			(name) =>
				findForbidding(
					name,
					all.map((limits) => ({ file: FILE, limits })),
				) === undefined,
		);
	assert.deepEqual(under({}), ["docs", "files", "other"]);
	assert.deepEqual(under({ servers: { allow: ["docs", "files"], deny: ["files"] } }), ["docs"]);
	assert.deepEqual(under({ servers: { allow: ["docs"] } }, { servers: { allow: ["files"] } }), []);
	assert.deepEqual(under({ servers: { deny: ["*"] } }), []);
	assert.equal(findForbidding("files", [{ file: FILE, limits: { servers: { deny: ["files"] } } }]), FILE);
});

test("no MCP server reaches a site or leaves the sandbox if an administrator forbids that to commands", () => {
	const why = (settings: unknown, limits: ManagedLimits) =>
		findBeyondLimits(ServerSettings.parse(settings), limited({}, limits));
	const opening = (...allowedDomains: readonly string[]) => ({
		command: "x",
		sandbox: { network: { allowedDomains } },
	});
	const limits = { allowedDomains: ["*.example.org"] };
	assert.equal(why(opening("a.example.org"), limits), undefined);
	assert.match(why(opening("a.example.org", "evil.test"), limits) ?? "", /^evil\.test is not an allowed site in /);
	assert.equal(why({ url: "https://mcp.example.org/x" }, limits), undefined);
	assert.match(why({ url: "https://evil.test/x" }, limits) ?? "", /^evil\.test:443 is not/);
	assert.match(why({ url: "https://evil.test/x" }, { network: "off" }) ?? "", /^evil\.test:443 is not/);
	for (const one of [limits, { sandbox: "always" as const }]) {
		assert.match(why({ command: "x", sandboxEnabled: false }, one) ?? "", /allows no server outside the sandbox\.$/);
	}
	assert.equal(why({ command: "x", sandboxEnabled: false }, {}), undefined);
});
