import type { ApprovalDecision, ApprovalSubject } from "../../../agent-host/protocol/approval/approval.ts";
import { quoteWord } from "../../../l10n/quote-word.ts";
import { countOf, type Message, t } from "../../../l10n/t.ts";
import type { ApprovalEntry, Workspace } from "../thread/entry.ts";

type Subject<K extends ApprovalSubject["kind"]> = Extract<ApprovalSubject, { readonly kind: K }>;
type PatchFile = Subject<"patch">["files"][number];

/** Title of an approval; contains no text of the model. */
export function describeApproval(subject: ApprovalSubject): string {
	switch (subject.kind) {
		case "command":
			if (subject.input !== undefined) return t("Send this input to a running command?");
			if (subject.containment === "none") return t("Run without a sandbox?");
			return subject.escalated ? t("Run outside the sandbox?") : t("Run this command?");
		case "patch":
			return countOf(subject.files.length, "Change {0} file?", "Change {0} files?");
		case "permission":
			return t("Allow reading {0}?", subject.read.join(", "));
		case "network":
			return t("Connect to this site?");
		case "serverTool":
			return t("Call a tool of an MCP server?");
		case "editorTool":
			return t("Call a tool of the editor?");
		case "customizations":
			return countOf(
				subject.entries.length,
				"Use {0} customization of this workspace?",
				"Use {0} customizations of this workspace?",
			);
	}
}

/** Input for a running command, or the command itself. */
export function actionText(subject: Subject<"command">): string {
	return subject.input?.text ?? commandText(subject);
}

/**
 * The complete command. A shell script is shown instead of the argument list only if the shell really runs exactly that
 * script.
 */
export function commandText({ argv, shell }: Subject<"command">): string {
	return shell !== undefined && isShell(argv, shell) ? shell : argv.map(quoteWord).join(" ");
}

/** True for a shell that runs this script and nothing else. */
function isShell([program = "", flag, text, ...rest]: readonly string[], shell: string): boolean {
	return /^\/bin\/(?:ba)?sh$/.test(program) && flag === "-c" && text === shell && rest.length === 0;
}

/** Whether what runs is not what its name says: another program, or one of the workspace itself. */
export function isUnusualProgram({ program, argv: [name = ""] }: Subject<"command">, workspace: Workspace): boolean {
	if (program === undefined) return false;
	return splitPath(program).at(-1) !== splitPath(name).at(-1) || !isOutside(program, workspace);
}

/** Short form for one line of the transcript. */
export function summarizeSubject(subject: ApprovalSubject): string {
	switch (subject.kind) {
		case "command": {
			const line = firstLine(actionText(subject));
			if (subject.input !== undefined) return t("{0} (input of {1})", line, subject.input.processId);
			if (subject.containment === "none") return t("{0} (without a sandbox)", line);
			return subject.escalated ? t("{0} (outside the sandbox)", line) : line;
		}
		case "patch": {
			const [first] = subject.files;
			const name = first === undefined ? "" : firstLine(first.path);
			const others = subject.files.length - 1;
			return others > 0 ? t("{0} and {1}", name, countOf(others, "{0} more file", "{0} more files")) : name;
		}
		case "permission":
			return t("Read {0}", firstLine(subject.read.join(", ")));
		case "network":
			return firstLine(`${subject.host}:${subject.port}`);
		case "serverTool":
			return firstLine(`${subject.server}: ${subject.tool}`);
		case "editorTool":
			return firstLine(t("{0} (tool of the editor)", subject.tool));
		case "customizations":
			return t("Use {0}", firstLine(subject.entries.map(({ name }) => name).join(", ")));
	}
}

const OUTCOMES: Record<ApprovalDecision, Message> = {
	allow: "Allowed once",
	allowThread: "Allowed in this thread",
	allowFolder: "Always allowed in this workspace",
	allowRule: "Always allowed by a rule",
	deny: "Denied",
	abort: "Denied and stopped",
};

/** Result of an approval. */
export function describeOutcome({ state, request }: ApprovalEntry): string {
	switch (state.kind) {
		case "pending":
			return t("Needs your approval");
		case "lapsed":
			return t("Not answered before the turn ended");
		case "resolved":
			if (state.decision === "allow" && request.subject.kind === "customizations") return t("Allowed until it changes");
			if (state.decision === "allowRule" && request.subject.kind !== "command") return t("Always allowed");
			return state.by === "host" ? t("{0} by Vitrine", t(OUTCOMES[state.decision])) : t(OUTCOMES[state.decision]);
	}
}

/** The rules that "Always allow" would add, so that nobody allows more than they think. */
export function describeRules({ rulesOffered = [] }: Subject<"command">): readonly string[] {
	return rulesOffered.map(({ prefix }) => prefix.map(quoteWord).join(" "));
}

export interface Target {
	readonly name: string;
	/** The resolved path, if it differs from the name. */
	readonly leadsTo: string | undefined;
	readonly movesTo: string | undefined;
	/** Reasons to look twice. */
	readonly alarms: readonly string[];
	readonly operation: PatchFile["operation"];
	readonly added: number;
	readonly removed: number;
}

export function describeTarget(file: PatchFile, workspace: Workspace): Target {
	const { path, resolved, movedTo, operation, added, removed } = file;
	const alarms = [
		isOutside(resolved, workspace) ? t("outside the workspace") : undefined,
		movedTo !== undefined && isOutside(movedTo, workspace) ? t("moves outside the workspace") : undefined,
		file.overwrites === true ? t("replaces an existing file") : undefined,
		file.binary === true ? t("binary file, contents not shown") : undefined,
		// The host's own sentence is English, and names the file once more.
		file.protected === undefined
			? undefined
			: t("protected: it can change what other programs run or the agent's permissions"),
	].filter((alarm) => alarm !== undefined);
	const leadsTo = resolved === path ? undefined : resolved;
	return { name: path, leadsTo, movesTo: movedTo, alarms, operation, added, removed };
}

function isOutside(path: string, { roots, cwd }: Workspace): boolean {
	const full = isAbsolute(path) ? path : `${cwd ?? ""}/${path}`;
	const parts = splitPath(full);
	// The page cannot resolve "..", so such a path counts as outside.
	if (!isAbsolute(full) || parts.includes("..")) return true;
	return !roots.some((root) => splitPath(root).every((part, index) => part === parts[index]));
}

function isAbsolute(path: string): boolean {
	return /^(?:[/\\]|[a-zA-Z]:[/\\])/.test(path);
}

function splitPath(path: string): readonly string[] {
	return path.split(/[/\\]+/).filter((part) => part !== "" && part !== ".");
}

const MAX_LINE_CHARS = 200;

/** First line, with the total number of lines if there are more. */
function firstLine(text: string): string {
	const line = (text.split("\n", 1)[0] ?? "").slice(0, MAX_LINE_CHARS);
	if (line.length === text.length) return line;
	return t("{0}… ({1})", line, countOf(text.length, "{0} character", "{0} characters"));
}
