import type { ApprovalRequest, ApprovalSubject } from "../protocol/approval/approval.ts";
import type { QuestionRequest } from "../protocol/approval/question.ts";
import { makeExact, makeExactLine, makeVisible, makeVisibleLine } from "./visible.ts";

/** A longer diff is cut: the files and their counts still say what would change. */
export const MAX_DIFF_CHARS = 8_000;

/** Everything that an approval is about, for surfaces that show plain text. */
export function describeApproval({
	reason,
	subject,
	agent,
}: Pick<ApprovalRequest, "reason" | "subject" | "agent">): string {
	return [...describeSubject(subject), `Reason: ${makeVisibleLine(reason)}`, ...nameAsker(agent)].join("\n");
}

function nameAsker(agent: ApprovalRequest["agent"]): readonly string[] {
	return agent === undefined ? [] : [`Asked by the sub-agent ${agent.name} (${makeVisibleLine(agent.role)})`];
}

/** One line for it, such as a title. */
export function nameApproval(subject: ApprovalSubject): string {
	if (subject.kind === "command") return `${commandVerb(subject)} ${makeExactLine(commandLine(subject))}`;
	const [first = ""] = describeSubject(subject);
	return subject.kind === "patch" ? `${first}: ${nameFiles(subject.files)}` : first;
}

/** Files that a name has room for. */
const MAX_NAMED = 3;

function nameFiles(files: Of<"patch">["files"]): string {
	const named = files.slice(0, MAX_NAMED).map(({ path }) => makeExactLine(path));
	return [...named, ...(files.length > MAX_NAMED ? ["…"] : [])].join(", ");
}

/** What a question is about, before any question of a form. */
export function describeQuestion({ subject, agent }: Pick<QuestionRequest, "subject" | "agent">): string {
	return [...nameAsker(agent), describeAsked(subject)].join("\n");
}

function describeAsked(subject: QuestionRequest["subject"]): string {
	switch (subject.kind) {
		case "loop":
			return `${makeVisibleLine(subject.title)} gave the same result ${subject.times} times. Continue?`;
		case "form":
			return [
				subject.server === undefined
					? "The agent asks:"
					: `The MCP server ${makeVisibleLine(subject.server)} asks (never enter passwords or keys):`,
				...(subject.message === undefined ? [] : [setApart("Message:", makeVisible(subject.message))]),
			].join("\n");
		case "address":
			return [
				`The MCP server ${makeVisibleLine(subject.server)} wants you to open ${makeVisibleLine(subject.url)}`,
				setApart("Message:", makeVisible(subject.message)),
				"Have you opened it?",
			].join("\n");
	}
}

function describeSubject(subject: ApprovalSubject): readonly string[] {
	switch (subject.kind) {
		case "command":
			return describeCommand(subject);
		case "patch":
			return describePatch(subject);
		case "permission":
			return [
				`Let a command read ${subject.read.map(makeExactLine).join(", ")}`,
				`Command: ${makeExactLine(subject.command)}`,
			];
		case "network":
			return [
				`Connect to ${makeExactLine(subject.host)}:${subject.port}`,
				...(subject.letters === undefined ? [] : [`Name: ${makeVisibleLine(subject.letters)}`]),
				`Command: ${makeExactLine(subject.process)}`,
			];
		case "serverTool":
			return [
				`Use the tool ${makeExactLine(subject.tool)} of the MCP server ${makeExactLine(subject.server)}`,
				setApart("Arguments:", makeExact(subject.input)),
			];
		case "editorTool":
			return [
				`Use the tool ${makeExactLine(subject.tool)} of the editor, OUTSIDE the sandbox`,
				setApart("Arguments:", makeExact(subject.input)),
			];
		case "customizations":
			return ["Use what this workspace brings along", makeVisible(JSON.stringify(subject.entries, undefined, "  "))];
	}
}

type Of<Kind extends ApprovalSubject["kind"]> = Extract<ApprovalSubject, { readonly kind: Kind }>;

function describeCommand(subject: Of<"command">): readonly string[] {
	const { input, deletes, escalated, containment, program, why, inputOpenMs } = subject;
	return [
		setApart(commandVerb(subject), makeExact(commandLine(subject))),
		...(input === undefined ? [] : [setApart("Text:", makeExact(input.text))]),
		`Folder: ${makeExactLine(subject.resolvedCwd ?? subject.cwd)}`,
		...(program === undefined ? [] : [`Program: ${makeExactLine(program)}`]),
		...(escalated ? ["Runs OUTSIDE the sandbox."] : []),
		...(containment === "none" ? ["This machine has no sandbox: the command runs with YOUR rights."] : []),
		`Sandbox: ${makeVisibleLine(subject.sandbox)}`,
		`Network: ${makeVisibleLine(subject.network)}`,
		...(deletes === undefined
			? []
			: [
					`Deletes ${deletes.isWhole ? "" : "more than "}${deletes.files} files: ${deletes.targets.map(makeExactLine).join(", ")}`,
				]),
		...(inputOpenMs === undefined
			? []
			: [`Can run in the background for ${Math.round(inputOpenMs / 60_000)} minutes.`]),
		`Environment: ${subject.environment.map(makeVisibleLine).join(", ")}`,
		...(why === undefined ? [] : [`The model says: “${makeVisibleLine(why)}”`]),
	];
}

function commandVerb({ input }: Of<"command">): string {
	return input === undefined ? "Run" : "Write to the running command";
}

function commandLine({ shell, argv }: Of<"command">): string {
	return shell ?? argv.map(quoteWord).join(" ");
}

/** A text of several lines, of which none can pass for a line of ours; their number is that of those that scrolled away, too. */
function setApart(name: string, text: string): string {
	const lines = text.split("\n");
	if (lines.length === 1) return `${name} ${text}`;
	return [`${name} (${lines.length} lines)`, ...lines.map((line) => `  │ ${line}`), `  └ ${lines.length} lines`].join(
		"\n",
	);
}

function describePatch({ files, diff, whole }: Of<"patch">): readonly string[] {
	const lines = files.map((file) =>
		[
			`${file.operation} ${makeExactLine(file.resolved)}`,
			...(file.movedTo === undefined ? [] : [`→ ${makeExactLine(file.movedTo)}`]),
			`(+${file.added} −${file.removed})`,
			...(file.overwrites === true ? ["replaces a file"] : []),
			...(file.protected === undefined ? [] : [`protected: ${makeVisibleLine(file.protected)}`]),
		].join(" "),
	);
	const shown = diff.slice(0, MAX_DIFF_CHARS);
	const isCut = whole !== undefined || shown.length < diff.length;
	return [
		`Change ${files.length === 1 ? "1 file" : `${files.length} files`}`,
		...lines,
		makeExact(shown),
		...(isCut ? ["… The diff is longer than what is shown."] : []),
	];
}

function quoteWord(word: string): string {
	return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
