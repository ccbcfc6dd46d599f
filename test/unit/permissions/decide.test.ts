import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decide } from "../../../agent-host/permissions/decide/decide.ts";
import type { Access, Policy, Verdict } from "../../../agent-host/permissions/policy/policy.ts";
import { PermissionMode } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { readVerdict } from "../../support/read-verdict.ts";

const read = (path: string): Access => ({ kind: "read", path, resolved: path, via: [] });
const edit = (...paths: readonly string[]): Access => ({
	kind: "edit",
	targets: paths.map((path) => ({ path, resolved: path, overwrites: false })),
});
const command = (...words: readonly string[]) =>
	({ kind: "command", command: words, cwd: "/repo", escalated: false }) as const;
const escalated: Access = { kind: "command", command: ["make"], cwd: "/repo", escalated: true };
const network: Access = { kind: "network", host: "example.org", port: 443 };

/** The table "What asks, what runs", row by row: readOnly, ask, workspaceWrite, full. */
const TABLE: readonly (readonly [action: string, access: Access, verdicts: readonly Verdict["kind"][]])[] = [
	["read what the policy lets read", read("/repo/a"), ["allow", "allow", "allow", "allow"]],
	["edit a file inside the roots", edit("/repo/a"), ["ask", "ask", "allow", "allow"]],
	["command inside the sandbox", command("make"), ["allow", "ask", "allow", "allow"]],
	["a command that the user typed", { ...command("make"), typed: true }, ["allow", "allow", "allow", "allow"]],
	["a host beyond the policy", network, ["ask", "ask", "ask", "allow"]],
	["leaving the sandbox", escalated, ["ask", "ask", "ask", "allow"]],
	["edit outside the roots", edit("/etc/hosts"), ["ask", "ask", "ask", "allow"]],
	["protected files", edit("/repo/.git/config"), ["ask", "ask", "ask", "ask"]],
	["protected files further down", edit("/repo/packages/a/.vscode/tasks.json"), ["ask", "ask", "ask", "ask"]],
	["what agents are told to do (S-25)", edit("/repo/CLAUDE.md"), ["ask", "ask", "ask", "ask"]],
	["mass deletion", edit(...Array.from({ length: 30 }, (_, n) => `/repo/${n}`)), ["ask", "ask", "ask", "ask"]],
];

for (const [action, access, verdicts] of TABLE) {
	test(`${action}: ${verdicts.join(", ")} in readOnly, ask, workspaceWrite, full`, () => {
		const found = PermissionMode.options.map((mode) => decide(access, aPolicy({ permissions: { mode } })).kind);
		assert.deepEqual(found, verdicts);
	});
}

test("with approval never, whatever would be asked is refused, and the model reads why", () => {
	for (const [, access] of TABLE) {
		for (const mode of PermissionMode.options) {
			const asked = decide(access, aPolicy({ permissions: { mode } }));
			const never = decide(access, aPolicy({ permissions: { mode }, approval: "never" }));
			assert.equal(never.kind, asked.kind === "allow" ? "allow" : "deny");
			if (never.kind === "deny") assert.match(never.reason.text, /Approvals are off/);
		}
	}
});

test("with approval untrusted, every edit and every command without a rule is asked about in every mode", () => {
	for (const mode of PermissionMode.options) {
		const policy = aPolicy({ permissions: { mode, rules: [{ prefix: ["git", "status"] }] }, approval: "untrusted" });
		assert.equal(decide(edit("/repo/a"), policy).kind, "ask");
		assert.equal(decide(command("make"), policy).kind, "ask");
		assert.equal(decide(command("git", "status", "--short"), policy).kind, "allow");
		assert.equal(decide(command("git", "statusx"), policy).kind, "ask");
	}
});

test("in an untrusted workspace its files can be read, and nothing else is done, whatever is set", () => {
	for (const mode of PermissionMode.options) {
		const policy = aPolicy({ permissions: { mode, network: "on" }, places: { trusted: false } });
		assert.equal(decide(read("/repo/a"), policy).kind, "allow");
		for (const access of [read("/etc/passwd"), edit("/repo/a"), command("ls"), escalated]) {
			assert.equal(decide(access, policy).kind, "deny");
		}
		assert.deepEqual(policy.network, { kind: "off" });
	}
});

test("a place where secrets are kept is closed in every mode, and its reason says so", () => {
	for (const mode of PermissionMode.options) {
		const policy = aPolicy({ permissions: { mode }, places: { roots: ["/home/me"] } });
		const verdict = decide(read("/home/me/.ssh/id_rsa"), policy);
		assert.deepEqual(readVerdict(verdict), {
			kind: "deny",
			reason: "/home/me/.ssh/id_rsa stores secrets and is blocked.",
		});
	}
});

test("a closed path is refused the same way wherever a link there leads, even if nothing is there", () => {
	const policy = aPolicy({ permissions: { denyRead: ["/elsewhere"] } });
	const path = "/elsewhere/a";
	const found = ["/repo/a", "/etc/passwd", path].map((resolved) =>
		readVerdict(decide({ kind: "read", path, resolved, via: [path] }, policy)),
	);
	const refusal = { kind: "deny", reason: `${path} is blocked by the user's settings.` };
	assert.deepEqual(found, [refusal, refusal, refusal]);
});

test("a file in a home folder is refused as out of reach and a key there as a secret, neither as if a setting blocked it", () => {
	const closed = { places: ["/home/me"], except: [] };
	// With Full Access, home folders are open to commands.
	for (const mode of PermissionMode.exclude(["full"]).options) {
		const policy = aPolicy({ permissions: { mode }, places: { closed } });
		for (const [path, reason] of [
			["/home/me/letter.txt", "is outside the folders the agent can access."],
			["/home/me/.ssh/id_rsa", "stores secrets and is blocked."],
		]) {
			// What a link there leads to changes nothing.
			for (const resolved of [path, "/repo/a"]) {
				const verdict = decide(
					{ kind: "read", path: String(path), resolved: String(resolved), via: [String(path)] },
					policy,
				);
				assert.deepEqual(readVerdict(verdict), { kind: "deny", reason: `${path} ${reason}` });
			}
		}
	}
});

test("a path that the user closed is never opened by leaving the sandbox", () => {
	for (const mode of PermissionMode.options) {
		const policy = aPolicy({ permissions: { mode, denyRead: ["/repo/private"] } });
		assert.equal(decide(escalated, policy).kind, "deny", mode);
	}
});

test("file tools cannot read a file outside the workspace, however similar its path looks", () => {
	for (const path of ["/repository/a", "/", "/etc/passwd", "/repo/../etc/passwd", "/rep"]) {
		assert.deepEqual(readVerdict(decide(read(path), aPolicy())), {
			kind: "deny",
			reason: `${path} is outside the workspace folders; only files in them can be read.`,
		});
	}
});

test("with no folder open nothing may be read, and the reason says so", () => {
	assert.deepEqual(readVerdict(decide(read("/repo/a"), aPolicy({ places: { roots: [] } }))), {
		kind: "deny",
		reason: "No folder is open in the editor, so there are no files to read.",
	});
});

test("an edit that would replace a file asks even where edits are free", () => {
	const targets = [{ path: "/repo/a", resolved: "/repo/a", overwrites: true }];
	assert.equal(decide({ kind: "edit", targets }, aPolicy()).kind, "ask");
});

const RANK: Readonly<Record<Verdict["kind"], number>> = { deny: 0, ask: 1, allow: 2 };
const anyAccess = fc.constantFrom(...TABLE.map(([, access]) => access), read("/repo/x/y"), edit("/repo/x/y"));
const closing = fc.constantFrom<(policy: Policy) => Policy>(
	(policy) => ({ ...policy, filesystem: [...policy.filesystem, { path: "/repo/x", access: "none" }] }),
	(policy) => ({ ...policy, filesystem: policy.filesystem.slice(1) }),
	(policy) => ({ ...policy, secrets: [...policy.secrets, "/repo"] }),
	(policy) => ({ ...policy, rules: [] }),
	(policy) => ({ ...policy, network: { kind: "off" } }),
	(policy) => ({ ...policy, commands: false }),
	(policy) => ({ ...policy, approval: "never" }),
);

test("taking something away from a policy never allows more (I-09)", () => {
	fc.assert(
		fc.property(fc.constantFrom(...PermissionMode.options), anyAccess, closing, (mode, access, close) => {
			const policy = aPolicy({ permissions: { mode, rules: [{ prefix: ["make"] }] } });
			assert.ok(RANK[decide(access, close(policy)).kind] <= RANK[decide(access, policy).kind]);
		}),
	);
});

test("a saved rule allows a tool of a server only as it was described, and never in plan mode or without trust", () => {
	const rule = { server: "docs", tool: "search", definition: "one" };
	const call = { kind: "server" as const, uncontained: false, ...rule };
	for (const approval of ["never", "untrusted", "onRequest"] as const) {
		const policy = aPolicy({ permissions: { serverTools: [rule] }, approval });
		assert.deepEqual(readVerdict(decide(call, policy)), {
			kind: "allow",
			reason: "A saved rule allows search of docs.",
			serverTool: rule,
		});
		for (const other of [{ definition: "two" }, { tool: "delete" }, { server: "other" }]) {
			assert.equal(decide({ ...call, ...other }, policy).kind, approval === "never" ? "deny" : "ask");
		}
		assert.equal(decide(call, { ...policy, plan: { mode: "workspaceWrite", network: "off" } }).kind, "deny");
		assert.equal(decide(call, { ...policy, commands: false }).kind, "deny");
	}
	assert.equal("serverTools" in aPolicy({}), false);
});
