import assert from "node:assert/strict";
import { after, test } from "node:test";
import { decide } from "../../../agent-host/permissions/decide/decide.ts";
import type { Access, Policy } from "../../../agent-host/permissions/policy/policy.ts";
import {
	describePolicy,
	namePolicy,
	policyLines,
	sayPolicy,
	sayPolicyName,
} from "../../../agent-host/permissions/words/policy-words.ts";
import { asMessage, type HostText, type Said } from "../../../agent-host/protocol/say.ts";
import { ApprovalPolicy, NetworkMode, PermissionMode } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { sayHost } from "../../../l10n/host-words.ts";
import { setLanguage } from "../../../l10n/t.ts";
import { aPolicy } from "../../support/a-policy.ts";
import { findEnglish, speakGerman } from "../../support/speak-german.ts";

after(() => setLanguage("en", undefined));

const RULES = [{ prefix: ["git", "status"] }, { prefix: ["git", "push"], decision: "deny" as const }];
const TOOL = { server: "s", tool: "t", definition: "d" };

/** Policies of every mode, approval and network, each also untrusted, in plan mode, limited and without a sandbox. */
function everyPolicy(): readonly Policy[] {
	return PermissionMode.options.flatMap((mode) =>
		ApprovalPolicy.options.flatMap((approval) =>
			NetworkMode.options.flatMap((network) => {
				const permissions = { mode, network, rules: RULES, denyRead: ["/repo/geheim", "**/*.pem"] };
				const usual = aPolicy({ permissions, approval });
				const open = { ...aPolicy({ permissions: { ...permissions, denyRead: [] }, approval }), serverTools: [TOOL] };
				return [
					usual,
					open,
					aPolicy({ permissions, approval, places: { trusted: false } }),
					aPolicy({ permissions, approval, places: { roots: [] } }),
					{ ...open, noSandbox: "bwrap-missing" as const },
					{ ...usual, noSandbox: "wsl1" as const },
					{ ...open, plan: { mode: "ask" as const, network: "off" as const } },
					{ ...open, network: { kind: "allow" as const, hosts: ["a.example", "!b.example"] } },
					{ ...open, network: { kind: "allow" as const, hosts: ["!b.example"] } },
					{ ...open, managed: [{ file: "/etc/vitrine.json", sandbox: "always" as const, hosts: ["a.example"] }] },
				];
			}),
		),
	);
}

/** Every kind of call, with what makes verdicts differ. */
function everyAccess(policy: Policy): readonly Access[] {
	const target = (path: string, more: object = {}) => ({ path, resolved: path, overwrites: false, ...more });
	const command = { kind: "command", command: ["make"], argv: ["make"], cwd: "/repo", escalated: false } as const;
	const deletes = (targets: readonly string[], files: number, isWhole: boolean) => ({ targets, files, isWhole });
	return [
		{ kind: "none" },
		...["/repo/a", "/etc/passwd", "/repo/geheim", "/home/me/.ssh/id"].map(
			(path): Access => ({ kind: "read", path, resolved: path, via: [] }),
		),
		...[
			[target("/repo/a")],
			[target("/repo/a", { overwrites: true })],
			[target("/etc/hosts")],
			[target("/repo/.git/config")],
			[target("/repo/geheim")],
			[target("/repo/l", { resolved: "/srv/x", via: ["/repo/l"] })],
			Array.from({ length: 30 }, (_, n) => target(`/repo/${n}`)),
			Array.from({ length: 30 }, (_, n) => target(`/repo/${n}`, { deletes: true })),
		].map((targets): Access => ({ kind: "edit", targets })),
		command,
		{ ...command, typed: true },
		{ ...command, escalated: true },
		{ ...command, repository: "/repo/.git" },
		{ ...command, command: ["git", "status"], argv: ["git", "status"] },
		{ ...command, command: "git push", argv: ["sh", "-c", "git push"] },
		{ ...command, command: "g=git; $g push", argv: ["sh", "-c", "g=git; $g push"] },
		{ ...command, deletes: deletes([], 0, false) },
		{ ...command, deletes: deletes(["/repo/x"], 40, true) },
		{ ...command, deletes: deletes(["/repo/x"], 40, false) },
		{ ...command, deletes: deletes(["/srv/x"], 1, true), escalated: true },
		{ kind: "closedRead", places: [{ path: "/repo/geheim", shown: "~/geheim" }] },
		{ kind: "closedRead", places: [{ path: "/repo/a", shown: "~/a" }] },
		{ kind: "input", processId: "p1", escalated: false, rights: policy },
		{ kind: "input", processId: "p1", escalated: true, rights: policy },
		{ kind: "input", processId: "p1", escalated: false, rights: aPolicy({ permissions: { mode: "full" } }) },
		{ kind: "network", host: "a.example", port: 443 },
		{ kind: "network", host: "c.example", port: 443 },
		{ kind: "server", ...TOOL, uncontained: false },
		{ kind: "server", ...TOOL, tool: "u", uncontained: false },
		{ kind: "server", ...TOOL, tool: "u", uncontained: true },
	];
}

test("every reason of a verdict is translated for the reader, and the model reads the same in English", () => {
	speakGerman();
	const sentences = new Set<string>();
	for (const policy of everyPolicy()) {
		for (const access of everyAccess(policy)) {
			const { reason } = decide(access, policy);
			assertSaid(reason);
			for (const name of namesIn(asMessage(reason))) sentences.add(name);
		}
	}
	assert.ok(sentences.size > 50, `only ${sentences.size} reasons: ${[...sentences].sort().join(" ")}`);
});

test("every line and name of a policy is translated for the reader, and the model reads the same in English", () => {
	speakGerman();
	for (const policy of everyPolicy()) {
		const lines = sayPolicy(policy);
		assert.deepEqual(
			lines.map(({ text }) => text),
			policyLines(describePolicy(policy)),
		);
		assert.equal(sayPolicyName(policy).text, namePolicy(policy));
		for (const said of [...lines, sayPolicyName(policy)]) assertSaid(said);
	}
	assert.equal(sayHost(asMessage(sayPolicyName(aPolicy()))), "Arbeitsbereich, Netzwerk aus");
});

function assertSaid(said: Said): void {
	const message = asMessage(said);
	assert.deepEqual(unnamed(message), [], JSON.stringify(message));
	assert.deepEqual(findEnglish(sayHost(message)), [], sayHost(message));
}

function namesIn({ sentence, parts = [] }: HostText): readonly string[] {
	return [...(sentence === undefined ? [] : [sentence]), ...parts.flatMap(namesIn)];
}

/** Texts that have no name, so that they stay in English. */
function unnamed({ message, sentence, parts }: HostText): readonly string[] {
	if (parts !== undefined) return parts.flatMap(unnamed);
	return sentence === undefined ? [message] : [];
}
