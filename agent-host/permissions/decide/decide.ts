import { parseTarget, type Target } from "../../network/host-name.ts";
import { judgeTarget, parseRules } from "../../network/host-rules.ts";
import { joinSaid, type Said, say } from "../../protocol/say.ts";
import type { CommandRule } from "../../protocol/settings/policy-settings.ts";
import { coveringRules } from "../command-lines/chain-rules.ts";
import { judgeDenied } from "../command-lines/deny-rules.ts";
import { readMoves } from "../command-lines/moves.ts";
import { matchesUncontained } from "../command-lines/prefix-rules.ts";
import type { Access, ClosedRead, EditTarget, PlanMode, Policy, Verdict } from "../policy/policy.ts";
import { isWithin } from "../reach/is-within.ts";
import { asksBeforeCommands, describeObstacle, findObstacle, findToolRule } from "../reach/may-run.ts";
import {
	accessTo,
	effectiveEntries,
	isClosedByDefault,
	isInside,
	NOTHING_CLOSED,
	protectedInEdit,
} from "../reach/reach.ts";
import { wideReach } from "./blast-radius.ts";

const FULL = say("full-access");
const PLANNING = say("plan-holds");
const REVIEWING = say("review-holds");

/**
 * The only place where a call is allowed, needs approval or is refused; the table "What asks, what runs" as a function.
 * It depends on the policy and on what the call would touch, never on what the model says about it. A path is judged at
 * its real location, which is verified again on the open handle.
 */
export function decide(access: Access, policy: Policy): Verdict {
	const verdict = judge(access, policy);
	if (verdict.kind !== "ask") return verdict;
	if (policy.plan !== undefined && !verdict.isWithin) return deny(joinSaid(verdict.reason, sayMode(policy.plan)));
	if (policy.approval !== "never") return { kind: "ask", reason: verdict.reason };
	return deny(joinSaid(verdict.reason, say("approvals-off")));
}

/** A requested approval; `isWithin`: it opens nothing that the policy closes. */
type Judged = Exclude<Verdict, { kind: "ask" }> | (Extract<Verdict, { kind: "ask" }> & { readonly isWithin?: true });

function judge(access: Access, policy: Policy): Judged {
	switch (access.kind) {
		case "none":
			return allow(say("changes-nothing"));
		case "read":
			return judgeRead(access, policy);
		case "edit":
			return judgeEdit(access.targets, policy);
		case "command":
			return judgeCommand(access, policy);
		case "closedRead":
			return judgeClosedRead(access.places, policy);
		case "input":
			return judgeInput(access, policy);
		case "network":
			return judgeNetwork(access, policy);
		case "server":
			return judgeServer(access, policy);
		case "editorTool":
			return judgeEditorTool(policy);
	}
}

function judgeRead({ path, resolved, via }: Extract<Access, { kind: "read" }>, policy: Policy): Verdict {
	if (policy.folders.length === 0) return deny(say("read-without-folder"));
	// Check closed places first: do not reveal whether a link in one leads into the folders.
	const closed = [resolved, ...via].find((name) => accessTo(policy, name) === "none");
	if (closed !== undefined) return deny(whyClosed(path, closed, policy));
	if (!policy.folders.some((folder) => isInside(resolved, folder))) {
		return deny(say("read-outside", { path }));
	}
	return allow(say("read-inside"));
}

function whyClosed(path: string, closed: string, policy: Policy): Said {
	const chosen = { ...policy, closed: NOTHING_CLOSED };
	if (accessTo(chosen, closed) !== "none") return say("edit-beyond", { path });
	const isSecret = accessTo({ ...chosen, secrets: [] }, closed) !== "none";
	return isSecret ? say("path-secret", { path }) : say("path-blocked", { path });
}

function judgeEdit(targets: readonly EditTarget[], policy: Policy): Verdict {
	for (const { path, resolved } of targets) {
		if (accessTo(policy, resolved) === "none") return deny(say("edit-beyond", { path }));
	}
	if (!policy.commands && policy.mode === "readOnly") {
		return deny(say("edit-restricted"));
	}
	if (policy.plan !== undefined) return deny(joinSaid(say("edit-not-now"), sayMode(policy.plan)));
	const isGuarded = (path: string) => protectedInEdit(policy, path) !== undefined;
	const guarded = targets.find(({ resolved, via = [] }) => [resolved, ...via].some(isGuarded));
	if (guarded !== undefined) return ask(say("edit-protected", { path: guarded.path }));
	const wide = wideReach({ kind: "edit", targets }, policy);
	if (wide !== undefined) return ask(wide);
	const outside = targets.find(({ resolved }) => accessTo(policy, resolved) !== "write");
	if (outside !== undefined) {
		return ask(policy.mode === "readOnly" ? say("edit-read-only") : say("edit-outside", { path: outside.path }));
	}
	if (policy.mode === "ask") return ask(say("edit-ask-first"));
	if (policy.approval === "untrusted") return ask(say("edit-untrusted"));
	// Check this last, because it reveals that something exists: at this point the caller may look there.
	const overwritten = targets.find((target) => target.overwrites);
	if (overwritten !== undefined) return ask(say("edit-replaces", { path: overwritten.path }));
	return allow(policy.mode === "full" ? FULL : say("edit-inside"));
}

function judgeCommand(access: Extract<Access, { kind: "command" }>, policy: Policy): Judged {
	if (!policy.commands) {
		return deny(say("command-restricted"));
	}
	const denial = findDenial(access, policy);
	if (denial?.kind === "deny") return denial;
	if (policy.noSandbox !== undefined) return judgeUncontained(access, policy, denial);
	const contained = policy.managed?.find(({ sandbox }) => sandbox === "always");
	if (access.escalated && contained !== undefined) {
		return deny(say("command-managed", { file: contained.file }));
	}
	if (access.escalated && policy.plan !== undefined) {
		return deny(joinSaid(say("command-not-now"), sayMode(policy.plan)));
	}
	if (access.escalated) {
		const closed = policy.filesystem.find((entry) => entry.access === "none");
		if (closed !== undefined) {
			return deny(say("command-closed", { path: closed.path }));
		}
		if (policy.mode !== "full") return ask(say("command-outside"));
	}
	const wide = wideReach(access, policy);
	if (wide !== undefined) return ask(wide);
	if (denial !== undefined) return denial;
	if (access.escalated) return allow(FULL);
	const rules = coveringRules(policy.rules, access);
	if (rules !== undefined) return { ...allow(whyAllowed(rules)), rules };
	if (access.typed) return allow(say("command-typed"));
	if (access.repository !== undefined) return ask(say("command-repository", { repository: access.repository }));
	if (asksBeforeCommands(policy)) return askWithin(say("command-ask-first"));
	if (policy.approval === "untrusted") {
		return askWithin(say("command-untrusted"));
	}
	return allow(policy.mode === "full" ? FULL : say("command-contained"));
}

/**
 * The verdict of the rules that deny; undefined if none covers it. They come before everything that allows. Who typed a
 * command knows what it runs, so then only a clear match counts.
 */
function findDenial(access: Extract<Access, { kind: "command" }>, policy: Policy): Judged | undefined {
	const { command, typed } = access;
	const denying = policy.rules.filter(({ decision }) => decision === "deny");
	const placeOf = createPlaceOf(access, denying, policy);
	const found = denying.flatMap((rule) => {
		const place = placeOf(rule);
		return place === "elsewhere" ? [] : [{ rule, place, verdict: judgeDenied(rule, command) }];
	});
	const denied = found.find(({ place, verdict }) => place === "there" && verdict === "denied")?.rule;
	if (denied !== undefined)
		return {
			...deny(joinSaid(say("rule-denies", { command: denied.prefix.join(" ") }), say("rules-hold"))),
			rules: [denied],
		};
	const unclear = found.find(({ verdict }) => verdict !== "clear")?.rule;
	if (unclear === undefined || typed) return undefined;
	return askWithin(say("rule-may-deny", { command: unclear.prefix.join(" ") }));
}

/**
 * Whether a command runs where a rule is about: in its folder, in a workspace there, or where it changes to. It may do so if
 * its words name something there, or if it changes to what only the shell knows and sees anything of the folder.
 */
function createPlaceOf(
	{ command, cwd, leads, escalated }: Extract<Access, { kind: "command" }>,
	rules: readonly CommandRule[],
	policy: Policy,
): (rule: CommandRule) => "there" | "perhaps" | "elsewhere" {
	if (rules.every(({ folder }) => folder === undefined)) return () => "there";
	const { folders, noSandbox } = policy;
	const isUncontained = escalated || noSandbox !== undefined;
	const moves = readMoves(command, cwd);
	const moved = moves.folders.flatMap((folder) => [folder, leads?.get(folder) ?? folder]);
	return ({ folder }) => {
		const isIn = (place: string) => folder === undefined || isInside(place, folder);
		if ([cwd, ...folders, ...moved].some(isIn)) return "there";
		const mayLead = moves.isOpen && (isUncontained || isSeen(policy, folder ?? "/"));
		return mayLead || moves.named.some(isIn) ? "perhaps" : "elsewhere";
	};
}

/** Whether a contained command can look into a folder, or into one below it. */
function isSeen(policy: Policy, folder: string): boolean {
	const below = effectiveEntries(policy).filter(({ access, path }) => access !== "none" && isInside(path, folder));
	return below.length > 0 || accessTo(policy, folder) !== "none";
}

function whyAllowed(rules: readonly CommandRule[]): Said {
	const names = rules.map(({ prefix }) => prefix.join(" ")).join(", ");
	return rules.length === 1 ? say("rule-allows", { command: names }) : say("rules-allow", { commands: names });
}

/** Nothing contains it: it has the user's rights, so the user decides, also about their own commands. */
function judgeUncontained(
	access: Extract<Access, { kind: "command" }>,
	policy: Policy,
	denial: Judged | undefined,
): Judged {
	const obstacle = findObstacle(policy);
	if (obstacle !== undefined) return deny(describeObstacle(obstacle));
	const wide = wideReach({ ...access, escalated: true }, policy);
	if (policy.mode === "full") return wide === undefined ? (denial ?? allow(FULL)) : ask(wide);
	if (wide !== undefined) return ask(joinSaid(say("command-uncontained"), wide));
	const rule = policy.rules.find(
		(one) =>
			matchesUncontained(one, access.argv ?? []) && (one.folder === undefined || isInside(access.cwd, one.folder)),
	);
	if (rule === undefined || denial !== undefined) return ask(say("command-uncontained"));
	return { ...allow(say("rule-allows-uncontained")), rules: [rule] };
}

function judgeClosedRead(places: readonly ClosedRead[], policy: Policy): Verdict {
	if (!policy.commands) return deny(say("reading-restricted"));
	const closed = places.filter(({ path }) => accessTo(policy, path) === "none");
	const never = closed.find(({ path }) => !isClosedByDefault(policy, path));
	if (never !== undefined) return deny(whyClosed(never.shown, never.path, policy));
	if (closed.length === 0) return allow(say("reading-open"));
	return ask(say("reading-closed", { paths: closed.map(({ shown }) => shown).join(", ") }));
}

function judgeInput({ processId, escalated, rights }: Extract<Access, { kind: "input" }>, policy: Policy): Judged {
	if (!policy.commands) {
		return deny(say("input-restricted"));
	}
	if (!isWithin(rights, policy)) {
		return deny(say("input-beyond", { processId }));
	}
	const isContained = rights.noSandbox === undefined;
	const obstacle = isContained ? undefined : findObstacle(policy);
	if (obstacle !== undefined) return deny(describeObstacle(obstacle));
	if (!isContained) return policy.mode === "full" ? allow(FULL) : ask(say("input-uncontained"));
	if (escalated && policy.mode !== "full") return ask(say("input-outside"));
	if (asksBeforeCommands(policy)) {
		return askWithin(say("input-ask-first"));
	}
	if (policy.approval === "untrusted") {
		return askWithin(say("input-untrusted"));
	}
	return allow(say("input-inside"));
}

function judgeNetwork({ host, port }: Extract<Access, { kind: "network" }>, policy: Policy): Verdict {
	const [target, site] = [parseTarget(host, port), `${host}:${port}`];
	const limit = policy.managed?.find(({ hosts }) => hosts !== undefined && !isListedIn(hosts, target));
	if (limit !== undefined) return deny(say("site-managed", { site, file: limit.file }));
	if (policy.network.kind === "on") return allow(say("site-open"));
	const hosts = policy.network.kind === "allow" ? policy.network.hosts : [];
	if (isListedIn(hosts, target)) return allow(say("site-listed", { site }));
	return ask(say("site-unlisted", { site }));
}

function isListedIn(hosts: readonly string[], target: Target | undefined): boolean {
	const rules = parseRules(hosts);
	return target !== undefined && !("unreadable" in rules) && judgeTarget(rules, target).kind === "allow";
}

/** What a server does is beyond every policy, so the user decides, except with Full Access. */
function judgeServer(access: Extract<Access, { kind: "server" }>, policy: Policy): Verdict {
	const { server, tool, definition, uncontained } = access;
	if (!policy.commands) {
		return deny(say("server-restricted"));
	}
	if (policy.plan !== undefined) return deny(joinSaid(say("server-not-now"), sayMode(policy.plan)));
	if (policy.mode === "full") return allow(FULL);
	const serverTool = findToolRule(policy, { server, tool, definition });
	if (serverTool !== undefined) return { ...allow(say("server-ruled", { tool, server })), serverTool };
	return ask(say(uncontained ? "server-call-uncontained" : "server-call", { server }));
}

/** The same without rules: another extension runs it outside the sandbox, so each call is asked about. */
function judgeEditorTool(policy: Policy): Verdict {
	if (!policy.commands) return deny(say("server-restricted"));
	if (policy.plan !== undefined) return deny(joinSaid(say("server-not-now"), sayMode(policy.plan)));
	return policy.mode === "full" ? allow(FULL) : ask(say("editor-tool-call"));
}

function allow(reason: Said): Extract<Verdict, { kind: "allow" }> {
	return { kind: "allow", reason };
}

function ask(reason: Said): Extract<Verdict, { kind: "ask" }> {
	return { kind: "ask", reason };
}

function askWithin(reason: Said): Judged {
	return { kind: "ask", reason, isWithin: true };
}

function deny(reason: Said): Extract<Verdict, { kind: "deny" }> {
	return { kind: "deny", reason };
}

function sayMode({ review }: PlanMode): Said {
	return review === undefined ? PLANNING : REVIEWING;
}
