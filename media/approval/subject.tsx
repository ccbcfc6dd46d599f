import type { ComponentChildren } from "preact";
import type { ApprovalSubject } from "../../agent-host/protocol/approval.ts";
import { DiffLines } from "../cards/diff-lines.tsx";
import type { ApprovalEntry, Workspace } from "../entry.ts";
import { Fold } from "../view/fold.tsx";
import { countLines, countOf } from "../view/text.ts";
import { Spelled } from "./spelled.tsx";
import { commandText, type Target, targetOf } from "./words.ts";

type Subject<K extends ApprovalSubject["kind"]> = Extract<ApprovalSubject, { readonly kind: K }>;

interface Props {
	readonly entry: Pick<ApprovalEntry, "request" | "workspace">;
	/** Frames the part that may be long. */
	readonly frame: (whole: ComponentChildren) => ComponentChildren;
}

/** What exactly would happen: the whole of it, and the facts around it. */
export function SubjectView({ entry: { request, workspace }, frame }: Props) {
	const { subject, digest, reason } = request;
	return (
		<>
			{subject.kind === "command" && subject.escalated && (
				<p class="alarm">Nothing but keys and passwords would be closed to it.</p>
			)}
			{subject.kind === "command" && frame(<pre class="command-text">{<Spelled text={commandText(subject)} />}</pre>)}
			{subject.kind === "patch" && <PatchView subject={subject} workspace={workspace} frame={frame} />}
			<dl class="facts">
				{subject.kind === "command" && <CommandFacts subject={subject} />}
				{subject.kind === "network" && <NetworkFacts subject={subject} />}
				<Fact name="Asked because" text={reason} />
				{subject.kind === "command" && subject.why !== undefined && <Fact name="The model says" text={subject.why} />}
				<Fact name="Fingerprint" text={digest.slice(0, SHOWN_DIGEST_CHARS)} />
			</dl>
			{subject.kind === "command" && (
				<Fold
					id={`${request.approvalId} arguments`}
					summary={`${countOf(subject.argv.length, "argument")}, ${countOf(subject.environment.length, "variable")}`}
					draw={() => <Arguments subject={subject} />}
				/>
			)}
		</>
	);
}

const SHOWN_DIGEST_CHARS = 12;

function Fact({ name, text }: { readonly name: string; readonly text: string }) {
	return (
		<div class="fact">
			<dt>{name}</dt>
			<dd class="plain">
				<Spelled text={text} />
			</dd>
		</div>
	);
}

function CommandFacts({ subject }: { readonly subject: Subject<"command"> }) {
	const text = commandText(subject);
	const length = `${countOf(text.length, "character")}, ${countOf(Math.max(countLines(text), 1), "line")}`;
	return (
		<>
			<Fact name="Program" text={subject.program ?? subject.argv[0] ?? ""} />
			<Fact name="Folder" text={subject.cwd} />
			<Fact name="Sandbox" text={subject.sandbox} />
			<Fact name="Network" text={subject.network} />
			<Fact name="Length" text={length} />
		</>
	);
}

function NetworkFacts({ subject }: { readonly subject: Subject<"network"> }) {
	return (
		<>
			<Fact name="Host" text={subject.host} />
			<Fact name="Port" text={String(subject.port)} />
			<Fact name="Program" text={subject.process} />
		</>
	);
}

/** Every argument by itself, and the names of what it inherits: rarely needed, always there. */
function Arguments({ subject: { argv, environment } }: { readonly subject: Subject<"command"> }) {
	return (
		<div class="arguments">
			<ol start={0}>
				{argv.map((word, index) => (
					<li key={index} class="plain">
						<Spelled text={word} />
					</li>
				))}
			</ol>
			<p class="plain quiet">
				<Spelled text={environment.join(" ")} />
			</p>
		</div>
	);
}

interface PatchProps {
	readonly subject: Subject<"patch">;
	readonly workspace: Workspace;
	readonly frame: Props["frame"];
}

function PatchView({ subject, workspace, frame }: PatchProps) {
	const targets = subject.files.map((file) => targetOf(file, workspace));
	const alarming = targets.filter(({ alarms }) => alarms.length > 0).length;
	return (
		<>
			{alarming > 0 && (
				<p class="alarm">{countOf(alarming, "file")} outside the workspace or protected. Look at the targets.</p>
			)}
			{frame(
				<>
					<ul class="targets" aria-label="Files">
						{targets.map((target) => (
							<TargetView key={`${target.name} ${target.movesTo ?? ""}`} target={target} />
						))}
					</ul>
					<DiffLines text={subject.diff} />
				</>,
			)}
		</>
	);
}

const OPERATIONS: Record<Target["operation"], string> = {
	add: "Add",
	update: "Change",
	delete: "Delete",
	move: "Move",
};

function TargetView({ target }: { readonly target: Target }) {
	const { name, leadsTo, movesTo, alarms, operation, added, removed } = target;
	return (
		<li>
			<span class="quiet">{OPERATIONS[operation]} </span>
			<Spelled text={name} /> <span class="diff-added">+{added}</span> <span class="diff-removed">−{removed}</span>
			{leadsTo !== undefined && (
				<div class={alarms.length > 0 ? "" : "quiet"}>
					is <Spelled text={leadsTo} />
				</div>
			)}
			{movesTo !== undefined && (
				<div>
					moves to <Spelled text={movesTo} />
				</div>
			)}
			{alarms.map((alarm) => (
				<div key={alarm} class="alarm">
					<Spelled text={alarm} />
				</div>
			))}
		</li>
	);
}
