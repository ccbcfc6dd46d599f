import { resolve } from "node:path";
import * as z from "zod";
import { offerRules } from "../permissions/command-lines/chain-rules.ts";
import { foldersInChain } from "../permissions/command-lines/command-chain.ts";
import { listDeletions } from "../permissions/command-lines/deletion-words.ts";
import { writesRepository } from "../permissions/command-lines/git-call.ts";
import { readMoves } from "../permissions/command-lines/moves.ts";
import { offerUncontained } from "../permissions/command-lines/prefix-rules.ts";
import { quoteWord } from "../permissions/command-lines/shell-words.ts";
import { decide } from "../permissions/decide/decide.ts";
import type { Access, Deletion, Policy } from "../permissions/policy/policy.ts";
import { isInside } from "../permissions/reach/reach.ts";
import type { ApprovalSubject } from "../protocol/approval/approval.ts";
import { say } from "../protocol/say.ts";
import type { CommandRule } from "../protocol/settings/policy-settings.ts";
import { applyPatch } from "./apply-patch.ts";
import type { CommandCall, CommandSubject } from "./command-call.ts";
import { commandFacts } from "./command-facts.ts";
import { toOutcome } from "./command-outcome.ts";
import { clampedInt } from "./parameters.ts";
import { isBarePatch, patchInCommand } from "./patch-in-command.ts";
import { defineTool } from "./tool.ts";
import type { Run, ToolPorts } from "./tool-ports.ts";

const MAX_TIMEOUT_MS = 3_600_000;
const MAX_YIELD_MS = 60_000;
const MAX_REASON_CHARS = 2_000;
const MAX_READS = 8;

const Input = z.object({
	command: z
		.union([z.string().min(1).max(100_000), z.array(z.string().max(100_000)).min(1).max(1_000)])
		.describe("For bash (PowerShell on Windows), or an argv array to run without a shell"),
	cwd: z.string().min(1).max(4_096).default("."),
	timeoutMs: clampedInt(100, MAX_TIMEOUT_MS).optional().describe("Then it is killed"),
	yieldMs: clampedInt(0, MAX_YIELD_MS).optional().describe("Then it moves to the background, with stdin open"),
	read: z
		.array(z.string().min(1).max(4_096))
		.max(MAX_READS)
		.optional()
		.describe("Blocked paths it needs to read, such as ~/.config/x; needs approval"),
	reason: z.string().max(MAX_REASON_CHARS).optional().describe("Shown to the user"),
	escalate: z
		.object({ reason: z.string().min(1).max(MAX_REASON_CHARS) })
		.optional()
		.describe("Run outside the sandbox, with approval, if it blocked what the task needs"),
});

const RUNS = "Run a command in a sandbox that enforces your permissions; long output is cut in the middle.";

const UNCONTAINED =
	"Run a command with the user's rights. This machine has no sandbox, so the user may be asked about each command: prefer a few plain ones, and the other tools for files. Returns stdout and stderr combined; long output is cut in the middle.";

export const runCommand = defineTool({
	name: "run_command",
	description: `${RUNS} Git can write to the repository only as a plain call, such as git add . && git commit -m "…", with approval.`,
	needs: "command",
	kind: "command",
	input: Input,
	planning: { description: RUNS, input: Input.omit({ read: true, escalate: true }) },
	uncontained: { description: UNCONTAINED, input: Input.omit({ read: true, escalate: true }) },
	instead: ({ command, cwd }, at) => {
		if (isBarePatch(command)) return { problem: "This is a patch, not a command. Use apply_patch." };
		const found = patchInCommand(command);
		if (found === undefined) return undefined;
		// Then it is judged, shown and recorded as an edit.
		return applyPatch.prepare(JSON.stringify({ patch: found.patch }), resolve(at(cwd), found.folder ?? "."));
	},
	// Words that are run without a shell are quoted so that different lists look different.
	title: ({ command }) =>
		say("call-run", { command: typeof command === "string" ? command : command.map(quoteWord).join(" ") }),
	look: async (given, at, ports) => {
		const policy = await ports.policy();
		const isContained = policy.noSandbox === undefined;
		// Without a sandbox there is nothing to leave, and nothing is closed.
		const input = isContained ? given : { ...given, escalate: undefined, read: undefined, reason: givenReason(given) };
		const { command, escalate } = input;
		const deletes = await findDeletion(input, at, ports);
		const repository = isContained ? await findRepositoryFor(input, at, ports) : undefined;
		const reads = escalate === undefined ? await ports.findClosedReads(input.read ?? [], at(input.cwd)) : [];
		const call = toCall(input, at, { repository, reads });
		const start =
			(approved: string | undefined): Run =>
			async (signal, show) =>
				toOutcome(await ports.runCommand({ ...call, approved }, show, signal));
		const access: CommandAccess = {
			...{ kind: "command", command, ...findFolders(call, ports, policy), escalated: escalate !== undefined },
			...(isContained ? {} : { argv: ports.describeCommand(call).argv }),
			...(repository === undefined ? {} : { repository }),
			...(deletes === undefined ? {} : { deletes }),
			...(reads.length === 0 ? {} : { reads }),
		};
		return {
			access,
			show: async () => {
				const about = ports.describeCommand(call);
				const subject = { ...toSubject(input, call, about, deletes), ...offerFor(access, policy) };
				return { subject, run: start(about.identity) };
			},
			run: start(undefined),
		};
	},
});

/** Rules are about folders as they are, whatever a link to one is called. */
function findFolders(
	{ command, cwd }: CommandCall,
	{ lookUp }: ToolPorts,
	{ rules }: Policy,
): Pick<CommandAccess, "cwd" | "leads"> {
	const { resolved } = lookUp(cwd);
	// Rules that allow are about plain chains only; to read any other script takes longer.
	const isDeniedSomewhere = rules.some(({ decision, folder }) => decision === "deny" && folder !== undefined);
	const folders = isDeniedSomewhere ? readMoves(command, resolved).folders : [];
	const places = new Set([...folders, ...foldersInChain(command, resolved)]);
	const leads = [...places].map((folder) => [folder, lookUp(folder).resolved] as const);
	const links = leads.filter(([folder, real]) => folder !== real);
	return { cwd: resolved, ...(links.length > 0 && { leads: new Map(links) }) };
}

function toSubject(
	input: z.output<typeof Input>,
	call: CommandCall,
	about: CommandSubject,
	deletes: Deletion | undefined,
): CommandApproval {
	const why = givenReason(input);
	return {
		kind: "command",
		...commandFacts(call, about),
		...(input.escalate === undefined ? {} : { escalated: true as const }),
		...(deletes === undefined ? {} : { deletes: { ...deletes, targets: [...deletes.targets] } }),
		...(why === undefined ? {} : { why }),
	};
}

type CommandAccess = Extract<Access, { readonly kind: "command" }>;
type CommandApproval = Extract<ApprovalSubject, { readonly kind: "command" }>;

/**
 * The rules to offer, everywhere or in the workspace folder, if they would spare the user the next approval. They skip it for a run in the sandbox, never for
 * leaving it. Where nothing contains a command, a rule is for exactly this one.
 */
function offerFor(access: CommandAccess, policy: Policy): Pick<CommandApproval, "rulesOffered" | "rulesFolder"> {
	if (access.escalated) return {};
	const rules = policy.noSandbox === undefined ? offerRules(policy.rules, access) : offerUncontained(access.argv ?? []);
	const suffices = (added: readonly CommandRule[]) =>
		decide(access, { ...policy, rules: [...policy.rules, ...added] }).kind === "allow";
	if (rules === undefined || !suffices(rules)) return {};
	const folder = policy.folders.find((open) => isInside(access.cwd, open));
	const isEnough = folder !== undefined && suffices(rules.map((rule) => ({ ...rule, folder })));
	return { rulesOffered: [...rules], ...(isEnough && { rulesFolder: folder }) };
}

function givenReason({ escalate, reason }: z.output<typeof Input>): string | undefined {
	return escalate?.reason ?? reason;
}

function toCall(
	{ command, cwd, timeoutMs, yieldMs, escalate }: z.output<typeof Input>,
	at: (path: string) => string,
	found: Pick<CommandCall, "repository" | "reads">,
): CommandCall {
	return { command, cwd: at(cwd), timeoutMs, yieldMs, escalated: escalate !== undefined, ...found };
}

/** A command with an open input may be told anything later, so it gets no repository. */
async function findRepositoryFor(
	{ command, cwd, escalate, yieldMs }: z.output<typeof Input>,
	at: (path: string) => string,
	ports: ToolPorts,
): Promise<string | undefined> {
	if (escalate !== undefined || yieldMs !== undefined || !writesRepository(command)) return undefined;
	return ports.findRepository(at(cwd));
}

async function findDeletion(
	input: z.output<typeof Input>,
	at: (path: string) => string,
	ports: ToolPorts,
): Promise<Deletion | undefined> {
	const paths = listDeletions(input.command);
	if (paths.length === 0) return undefined;
	const found = await ports.measureDeletion(paths, at(input.cwd));
	return found.targets.length === 0 && found.isWhole ? undefined : found;
}
