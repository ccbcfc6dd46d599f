import { parseTarget } from "../../network/host-name.ts";
import { judgeTarget, parseRules } from "../../network/host-rules.ts";
import { matchesRule, matchesUncontained } from "../command-lines/prefix-rules.ts";
import type { Access, ClosedRead, EditTarget, Policy, Verdict } from "../policy/policy.ts";
import { isWithin } from "../reach/is-within.ts";
import { asksBeforeCommands, describeObstacle, findObstacle } from "../reach/may-run.ts";
import { accessTo, isClosedByDefault, isInside, protectedInEdit } from "../reach/reach.ts";
import { wideReach } from "./blast-radius.ts";

const OUTSIDE =
	"It would run outside the sandbox: it could change any file and use the network. Only stored keys and passwords stay blocked.";
const OUTSIDE_INPUT = "It is input for a command outside the sandbox, which could change any file and use the network.";
const UNCONTAINED =
	"No sandbox on this machine: it runs with your rights. It could read and change any of your files and use the network.";
const UNCONTAINED_INPUT = "No sandbox on this machine: it is input for a command that runs with your rights.";
const REPOSITORY = "its index, branches and history, but neither its configuration nor its hooks.";
const FULL = "The thread has Full Access.";
const PLANNING = "Plan mode allows no changes, and approvals cannot override it. Add this to the plan instead.";

/**
 * The only place where a call is allowed, needs approval or is refused; the table "What asks, what runs" as a function.
 * It depends on the policy and on what the call would touch, never on what the model says about it. A path is judged at
 * its real location, which is verified again on the open handle.
 */
export function decide(access: Access, policy: Policy): Verdict {
	const verdict = judge(access, policy);
	if (verdict.kind !== "ask") return verdict;
	if (policy.plan !== undefined && !verdict.isWithin) return deny(`${verdict.reason} ${PLANNING}`);
	if (policy.approval !== "never") return { kind: "ask", reason: verdict.reason };
	return deny(`${verdict.reason} Approvals are off (approval is set to never), so this is refused.`);
}

/** A requested approval; `isWithin`: it opens nothing that the policy closes. */
type Judged = Exclude<Verdict, { kind: "ask" }> | (Extract<Verdict, { kind: "ask" }> & { readonly isWithin?: true });

function judge(access: Access, policy: Policy): Judged {
	switch (access.kind) {
		case "none":
			return allow("It changes nothing.");
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
	}
}

function judgeRead({ path, resolved, via }: Extract<Access, { kind: "read" }>, policy: Policy): Verdict {
	if (policy.folders.length === 0) return deny("No folder is open in the editor, so there are no files to read.");
	// Check closed places first: do not reveal whether a link in one leads into the folders.
	const closed = [resolved, ...via].find((name) => accessTo(policy, name) === "none");
	if (closed !== undefined) return deny(whyClosed(path, closed, policy));
	if (!policy.folders.some((folder) => isInside(resolved, folder))) {
		return deny(`${path} is outside the workspace folders; only files in them can be read.`);
	}
	return allow("Files in the workspace folders can be read.");
}

function whyClosed(path: string, closed: string, policy: Policy): string {
	const isSecret = policy.secrets.length > 0 && accessTo({ ...policy, secrets: [] }, closed) !== "none";
	return isSecret ? `${path} stores secrets and is blocked.` : `${path} is blocked by the user's settings.`;
}

function judgeEdit(targets: readonly EditTarget[], policy: Policy): Verdict {
	for (const { path, resolved } of targets) {
		if (accessTo(policy, resolved) === "none") return deny(`${path} is outside the folders the agent can access.`);
	}
	if (!policy.commands && policy.mode === "readOnly") {
		return deny("This workspace is not trusted (Restricted Mode), so files cannot be changed. The user can trust it.");
	}
	if (policy.plan !== undefined) return deny(`Files cannot be changed now. ${PLANNING}`);
	const isGuarded = (path: string) => protectedInEdit(policy, path) !== undefined;
	const guarded = targets.find(({ resolved, via = [] }) => [resolved, ...via].some(isGuarded));
	if (guarded !== undefined)
		return ask(`${guarded.path} is protected: it can change what other programs run or the agent's permissions.`);
	const wide = wideReach({ kind: "edit", targets }, policy);
	if (wide !== undefined) return ask(wide);
	const outside = targets.find(({ resolved }) => accessTo(policy, resolved) !== "write");
	if (outside !== undefined) {
		const why =
			policy.mode === "readOnly" ? "The mode is Read Only" : `${outside.path} is outside the writable folders`;
		return ask(`${why}.`);
	}
	if (policy.mode === "ask") return ask("The mode is Ask First: every edit needs approval.");
	if (policy.approval === "untrusted") return ask("Every edit needs approval (approval is set to untrusted).");
	// Check this last, because it reveals that something exists: at this point the caller may look there.
	const overwritten = targets.find((target) => target.overwrites);
	if (overwritten !== undefined) return ask(`${overwritten.path} exists and would be replaced.`);
	return allow(policy.mode === "full" ? FULL : "It changes only files in writable folders.");
}

function judgeCommand(access: Extract<Access, { kind: "command" }>, policy: Policy): Judged {
	if (!policy.commands) {
		return deny("This workspace is not trusted (Restricted Mode), so commands cannot run. The user can trust it.");
	}
	if (policy.noSandbox !== undefined) return judgeUncontained(access, policy);
	if (access.escalated && policy.plan !== undefined)
		return deny(`Commands cannot run outside the sandbox now. ${PLANNING}`);
	if (access.escalated) {
		const closed = policy.filesystem.find((entry) => entry.access === "none");
		if (closed !== undefined) {
			return deny(
				`Running outside the sandbox would give access to ${closed.path}, which the user blocked. This is never allowed.`,
			);
		}
		if (policy.mode !== "full") return ask(OUTSIDE);
	}
	const wide = wideReach(access, policy);
	if (wide !== undefined) return ask(wide);
	if (access.escalated) return allow(FULL);
	const rule = policy.rules.find((one) => access.words !== undefined && matchesRule(one, access.words));
	if (rule !== undefined) return { ...allow(`A saved rule allows ${rule.prefix.join(" ")}.`), rule };
	if (access.typed) return allow("The user ran it in the sandbox.");
	if (access.repository !== undefined) return ask(`It would change ${access.repository}: ${REPOSITORY}`);
	if (asksBeforeCommands(policy)) return askWithin("The mode is Ask First: every command needs approval.");
	if (policy.approval === "untrusted") {
		return askWithin("No saved rule allows this command (approval is set to untrusted).");
	}
	return allow(policy.mode === "full" ? FULL : "It runs in the sandbox.");
}

/** Nothing contains it: it has the user's rights, so the user decides, also about their own commands. */
function judgeUncontained(access: Extract<Access, { kind: "command" }>, policy: Policy): Verdict {
	const obstacle = findObstacle(policy);
	if (obstacle !== undefined) return deny(describeObstacle(obstacle).text);
	const wide = wideReach({ ...access, escalated: true }, policy);
	if (policy.mode === "full") return wide === undefined ? allow(FULL) : ask(wide);
	if (wide !== undefined) return ask(`${UNCONTAINED} ${wide}`);
	const rule = policy.rules.find((one) => matchesUncontained(one, access.argv ?? []));
	if (rule === undefined) return ask(UNCONTAINED);
	return { ...allow("A saved rule lets exactly this command run without a sandbox."), rule };
}

function judgeClosedRead(places: readonly ClosedRead[], policy: Policy): Verdict {
	if (!policy.commands) return deny("This workspace is not trusted (Restricted Mode), so access cannot be granted.");
	const closed = places.filter(({ path }) => accessTo(policy, path) === "none");
	const never = closed.find(({ path }) => !isClosedByDefault(policy, path));
	if (never !== undefined) return deny(whyClosed(never.shown, never.path, policy));
	if (closed.length === 0) return allow("Commands can read it.");
	return ask(`Commands cannot read ${closed.map(({ shown }) => shown).join(", ")}.`);
}

function judgeInput({ processId, escalated, rights }: Extract<Access, { kind: "input" }>, policy: Policy): Judged {
	if (!policy.commands) {
		return deny("This workspace is not trusted (Restricted Mode), so commands get no input.");
	}
	if (!isWithin(rights, policy)) {
		return deny(`${processId} was started with more permissions than this turn has. Stop it with stop_command.`);
	}
	const isContained = rights.noSandbox === undefined;
	const obstacle = isContained ? undefined : findObstacle(policy);
	if (obstacle !== undefined) return deny(describeObstacle(obstacle).text);
	if (!isContained) return policy.mode === "full" ? allow(FULL) : ask(UNCONTAINED_INPUT);
	if (escalated && policy.mode !== "full") return ask(OUTSIDE_INPUT);
	if (asksBeforeCommands(policy)) {
		return askWithin("The mode is Ask First: input for a command needs approval.");
	}
	if (policy.approval === "untrusted") {
		return askWithin("Every command input needs approval (approval is set to untrusted).");
	}
	return allow("It is input for a command that has no more permissions than this turn.");
}

function judgeNetwork({ host, port }: Extract<Access, { kind: "network" }>, policy: Policy): Verdict {
	if (policy.network.kind === "on") return allow("The network is on.");
	const rules = policy.network.kind === "allow" ? parseRules(policy.network.hosts) : [];
	const target = parseTarget(host, port);
	const isListed = target !== undefined && !("unreadable" in rules) && judgeTarget(rules, target).kind === "allow";
	if (isListed) return allow(`${host}:${port} is an allowed site.`);
	return ask(`${host}:${port} is not an allowed site.`);
}

/** What a server does is beyond every policy, so the user decides, except with Full Access. */
function judgeServer({ server }: Extract<Access, { kind: "server" }>, policy: Policy): Verdict {
	if (!policy.commands) {
		return deny(
			"This workspace is not trusted (Restricted Mode), so server tools cannot be called. The user can trust it.",
		);
	}
	if (policy.plan !== undefined) return deny(`Server tools cannot be called now. ${PLANNING}`);
	return policy.mode === "full" ? allow(FULL) : ask(`It calls a tool of the MCP server ${server}.`);
}

function allow(reason: string): Extract<Verdict, { kind: "allow" }> {
	return { kind: "allow", reason };
}

function ask(reason: string): Extract<Verdict, { kind: "ask" }> {
	return { kind: "ask", reason };
}

function askWithin(reason: string): Judged {
	return { kind: "ask", reason, isWithin: true };
}

function deny(reason: string): Extract<Verdict, { kind: "deny" }> {
	return { kind: "deny", reason };
}
