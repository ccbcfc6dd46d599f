import type { ComponentChildren } from "preact";
import type { ApprovalSubject } from "../../../agent-host/protocol/approval/approval.ts";
import type { ShownCustomization } from "../../../agent-host/protocol/approval/customization.ts";
import { sayNamed } from "../../../l10n/host-words.ts";
import { quoteWord } from "../../../l10n/quote-word.ts";
import { countOf, type Message, t } from "../../../l10n/t.ts";
import {
	actionText,
	commandText,
	describeTarget,
	isUnusualProgram,
	type Target,
} from "../../model/approval/approval-words.ts";
import type { ApprovalEntry, Workspace } from "../../model/thread/entry.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { countLines } from "../../model/words/text.ts";
import { EscapedDiffLines } from "../parts/diff-lines.tsx";
import { EscapedName, EscapedText } from "../parts/escaped-text.tsx";
import { Fold } from "../parts/fold.tsx";
import { usePage } from "../parts/page-context.ts";
import { sentence } from "../parts/sentence.ts";

type Subject<K extends ApprovalSubject["kind"]> = Extract<ApprovalSubject, { readonly kind: K }>;

type Deletes = NonNullable<Subject<"command">["deletes"]>;

interface Props {
	readonly entry: Pick<ApprovalEntry, "request" | "workspace">;
	/** Wraps the part that may be long. */
	readonly frame: (whole: ComponentChildren) => ComponentChildren;
}

/** Exactly what would happen, with all details. */
export function SubjectView({ entry: { request, workspace }, frame }: Props) {
	const { subject } = request;
	return (
		<>
			{subject.kind === "command" && subject.escalated && (
				<p class="alarm">{t("It could read and change anything except files with stored keys and passwords.")}</p>
			)}
			{subject.kind === "command" && subject.containment === "none" && (
				<p class="alarm">{t("Runs without a sandbox, with your rights.")}</p>
			)}
			{subject.kind === "editorTool" && (
				<p class="alarm">{t("It runs in the editor, outside the sandbox. It could read and change anything.")}</p>
			)}
			{subject.kind === "command" && subject.deletes !== undefined && <DeletionView deletes={subject.deletes} />}
			{subject.kind === "command" &&
				frame(<pre class="command-text">{<EscapedText text={actionText(subject)} />}</pre>)}
			{subject.kind === "patch" && (
				<PatchView subject={subject} workspace={workspace} approvalId={request.approvalId} frame={frame} />
			)}
			{(subject.kind === "serverTool" || subject.kind === "editorTool") &&
				frame(<pre class="command-text">{<EscapedText text={subject.input} />}</pre>)}
			{subject.kind === "customizations" && frame(subject.entries.map(drawCustomization))}
			<dl class="facts">
				{subject.kind === "editorTool" && <EditorToolFacts subject={subject} />}
				{subject.kind === "serverTool" && <ServerFacts subject={subject} />}
				{subject.kind === "network" && <NetworkFacts subject={subject} />}
				{subject.kind === "permission" && <Fact name={t("Command")} text={subject.command} />}
				{subject.kind === "command" && subject.why !== undefined && (
					<Fact name={t("The model says")} text={subject.why} isProse />
				)}
				<Fact name={t("Why you're asked")} text={sayNamed(request.reason, request.reasonSaid)} isProse />
				{subject.kind === "command" && <CommandFacts subject={subject} workspace={workspace} />}
			</dl>
			{subject.kind === "command" && (
				<Fold
					id={`${request.approvalId} arguments`}
					summary={t("Details: {0}", describeSize(subject))}
					draw={() => <CommandDetails subject={subject} />}
				/>
			)}
		</>
	);
}

interface FactProps {
	readonly name: string;
	readonly text: string;
	/** Words in any language, which nothing is decided by: only what is invisible in them is marked. */
	readonly isProse?: boolean;
}

function Fact({ name, text, isProse = false }: FactProps) {
	return (
		<div class="fact">
			<dt>{name}</dt>
			<dd class="plain">{isProse ? showInvisible(text) : <EscapedText text={text} />}</dd>
		</div>
	);
}

/** What would be deleted, and what of it could be restored. */
function DeletionView({ deletes: { targets, files, isWhole } }: { readonly deletes: Deletes }) {
	return (
		<div class="alarm">
			<p>
				{targets.length === 0
					? t("Deletes files that can't be determined in advance.")
					: isWhole
						? countOf(files, "Deletes up to {0} file:", "Deletes up to {0} files:")
						: countOf(files, "Deletes more than {0} file:", "Deletes more than {0} files:")}
			</p>
			<ul class="targets" aria-label={t("What is deleted")}>
				{targets.map((target) => (
					<li key={target}>
						<EscapedName name={target} />
					</li>
				))}
			</ul>
			<p class="quiet">{t(RECOVERABLE)}</p>
		</div>
	);
}

const RECOVERABLE: Message =
	"Workspace files up to 1 MB (32 MB in total) are backed up and can be restored. Files elsewhere, or in folders such as node_modules, can't.";

interface CommandProps {
	readonly subject: Subject<"command">;
	readonly workspace: Workspace;
}

/** Where it runs and what it could reach; anything unusual about it is never left to the details. */
function CommandFacts({ subject, workspace }: CommandProps) {
	return (
		<>
			{subject.input !== undefined && (
				<Fact name={t("Process")} text={`${subject.input.processId}: ${commandText(subject)}`} />
			)}
			{isUnusualProgram(subject, workspace) && <Fact name={t("Program")} text={subject.program ?? ""} />}
			<Fact name={t("Folder")} text={subject.cwd} />
			{subject.resolvedCwd !== undefined && <Fact name={t("Resolved folder")} text={subject.resolvedCwd} />}
			{subject.inputOpenMs !== undefined && (
				<Fact name={t("Input")} text={describeInput(subject.inputOpenMs)} isProse />
			)}
			<Fact name={t("Sandbox")} text={sayNamed(subject.sandbox, subject.sandboxSaid)} isProse />
		</>
	);
}

function describeInput(ms: number): string {
	return t("stays open, up to {0} min", Math.ceil(ms / 60_000));
}

const SHOWN_DIGEST_CHARS = 12;

/** The full digest is part of what is approved. */
function describeSandbox({ sandbox, sandboxSaid, policyDigest }: Subject<"command">): string {
	const words = sayNamed(sandbox, sandboxSaid);
	return policyDigest === undefined ? words : `${words} (${policyDigest.slice(0, SHOWN_DIGEST_CHARS)}…)`;
}

/** How long it is and how much it is given: rarely needed, always available. */
function describeSize(subject: Subject<"command">): string {
	const text = actionText(subject);
	return [
		countOf(text.length, "{0} character", "{0} characters"),
		countOf(Math.max(countLines(text), 1), "{0} line", "{0} lines"),
		countOf(subject.argv.length, "{0} argument", "{0} arguments"),
		countOf(subject.environment.length, "{0} variable", "{0} variables"),
	].join(", ");
}

function NetworkFacts({ subject }: { readonly subject: Subject<"network"> }) {
	return (
		<>
			<Fact name={t("Site")} text={subject.host} />
			{subject.letters !== undefined && <Fact name={t("Unicode name")} text={subject.letters} />}
			<Fact name={t("Port")} text={String(subject.port)} />
			<Fact name={t("Program")} text={subject.process} />
		</>
	);
}

function ServerFacts({ subject }: { readonly subject: Subject<"serverTool"> }) {
	return (
		<>
			<Fact name={t("MCP server")} text={subject.server} />
			<Fact name={t("Tool")} text={subject.tool} />
			{subject.description !== "" && <Fact name={t("The server says")} text={subject.description} isProse />}
		</>
	);
}

function EditorToolFacts({ subject }: { readonly subject: Subject<"editorTool"> }) {
	return (
		<>
			<Fact name={t("Tool")} text={subject.tool} />
			{subject.description !== "" && <Fact name={t("Its extension says")} text={subject.description} isProse />}
		</>
	);
}

const CUSTOMIZATIONS: Record<ShownCustomization["kind"], Message> = {
	skill: "Skill",
	command: "Command",
	hooks: "Hooks",
	servers: "MCP servers",
	plugin: "Plugin",
	agent: "Agent",
};

function drawCustomization({ kind, name, path, text, isChange }: ShownCustomization) {
	return (
		<section key={`${kind} ${path}`} class="customization">
			<p>
				<strong>{t(CUSTOMIZATIONS[kind])}</strong> <EscapedName name={path.endsWith(`/${name}`) ? path : name} />
				{isChange && <span class="alarm"> {t("changed since you allowed it")}</span>}
			</p>
			{!path.endsWith(`/${name}`) && (
				<p class="quiet">
					<EscapedName name={path} />
				</p>
			)}
			{isChange ? <EscapedDiffLines text={text} /> : <pre class="command-text">{<EscapedText text={text} />}</pre>}
		</section>
	);
}

/** Rarely needed, always available: the program, the policy, every argument, and the names of inherited variables. */
function CommandDetails({ subject }: { readonly subject: Subject<"command"> }) {
	const { program, argv, environment, network, networkSaid } = subject;
	return (
		<div class="arguments">
			<dl class="facts">
				<Fact name={t("Program")} text={program ?? argv[0] ?? ""} />
				<Fact name={t("Sandbox")} text={describeSandbox(subject)} isProse />
				<Fact name={t("Network")} text={sayNamed(network, networkSaid)} isProse />
			</dl>
			<ol start={0}>
				{argv.map((word, index) => (
					<li key={index} class="plain">
						<EscapedName name={word} />
					</li>
				))}
			</ol>
			<p class="plain quiet">
				<EscapedText text={environment.map(quoteWord).join(" ")} />
			</p>
		</div>
	);
}

interface PatchProps {
	readonly subject: Subject<"patch">;
	readonly workspace: Workspace;
	readonly approvalId: string;
	readonly frame: Props["frame"];
}

interface LongDiffProps {
	readonly subject: Subject<"patch">;
	readonly whole: NonNullable<Subject<"patch">["whole"]>;
	readonly approvalId: string;
}

/** Says how much of a long diff is shown, and opens all of it. */
function LongDiff({ subject, whole, approvalId }: LongDiffProps) {
	const page = usePage();
	const open = (): void => {
		page.openedDiffs.value = new Set(page.openedDiffs.value).add(approvalId);
		page.post({ type: "showDiff", approvalId });
	};
	return (
		<p class="alarm">
			{t("This card shows the first {0} of {1} lines.", countLines(subject.diff), whole.lines)}{" "}
			<button type="button" class="text-button" data-action="showDiff" onClick={open}>
				{t("Open Full Diff")}
			</button>
		</p>
	);
}

function PatchView({ subject, workspace, approvalId, frame }: PatchProps) {
	const targets = subject.files.map((file) => describeTarget(file, workspace));
	const alarming = targets.filter(({ alarms }) => alarms.length > 0).length;
	return (
		<>
			{alarming > 0 && <p class="alarm">{describeAlarming(alarming)}</p>}
			{subject.whole !== undefined && <LongDiff subject={subject} whole={subject.whole} approvalId={approvalId} />}
			{frame(
				<>
					<ul class="targets" aria-label={t("Files")}>
						{targets.map((target) => (
							<TargetView key={`${target.name} ${target.movesTo ?? ""}`} target={target} />
						))}
					</ul>
					<EscapedDiffLines text={subject.diff} />
				</>,
			)}
		</>
	);
}

function describeAlarming(count: number): string {
	return countOf(
		count,
		"{0} file needs a closer look. The list below says why.",
		"{0} files need a closer look. The list below says why.",
	);
}

const OPERATIONS: Record<Target["operation"], Message> = {
	add: "Add",
	update: "Change",
	delete: "Delete",
	move: "Move",
};

function TargetView({ target }: { readonly target: Target }) {
	const { name, leadsTo, movesTo, alarms, operation, added, removed } = target;
	return (
		<li>
			<span class="quiet">{t(OPERATIONS[operation])} </span>
			<EscapedName name={name} /> <span class="diff-added">+{added}</span> <span class="diff-removed">−{removed}</span>
			{leadsTo !== undefined && (
				<div class={alarms.length > 0 ? "" : "quiet"}>{sentence("is {0}", <EscapedName name={leadsTo} />)}</div>
			)}
			{movesTo !== undefined && <div>{sentence("moves to {0}", <EscapedName name={movesTo} />)}</div>}
			{alarms.map((alarm) => (
				<div key={alarm} class="alarm">
					{showInvisible(alarm)}
				</div>
			))}
		</li>
	);
}
