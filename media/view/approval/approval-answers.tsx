import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { ApprovalDecision } from "../../../agent-host/protocol/approval/approval.ts";
import { MAX_NOTE_CHARS } from "../../../agent-host/protocol/limits.ts";
import { t } from "../../../l10n/t.ts";
import type { ApprovalEntry } from "../../model/thread/entry.ts";
import { EscapedText } from "../parts/escaped-text.tsx";
import { isInInputMethod } from "../parts/key-name.ts";
import { usePage } from "../parts/page-context.ts";
import { sentence } from "../parts/sentence.ts";
import { RulesOffered } from "./rules-offered.tsx";
import { TooSoon } from "./too-soon.tsx";

interface Props {
	readonly entry: ApprovalEntry;
	readonly denyButton: RefObject<HTMLButtonElement | null>;
	/**
	 * `unread`: not every line has been visible yet. `unopened`: the card shows only the start. `sent`: answered, which is
	 * possible only once.
	 */
	readonly state: "ready" | "unread" | "unopened" | "sent";
	/** A press was ignored just now. */
	readonly isRefused: boolean;
	readonly onAnswer: (decision: ApprovalDecision, note?: string) => void;
}

/** The buttons of a card. Denying is possible without reading everything. */
export function Answers({ entry: { request }, denyButton, state, isRefused, onAnswer }: Props) {
	const [isNoting, setNoting] = useState(false);
	const { subject, choices } = request;
	const [isHere, setHere] = useState(choices.includes("allowFolder"));
	const hasRules = subject.kind === "command" && choices.includes("allowRule");
	const opened = subject.kind === "permission" && choices.includes("allowRule") ? subject.read.join(", ") : undefined;
	const listed = subject.kind === "network" && choices.includes("allowRule") ? subject.rule : undefined;
	const isLasting = subject.kind === "customizations";
	const served = subject.kind === "serverTool" && choices.includes("allowRule") ? subject : undefined;
	const isSent = state === "sent";
	const mayAllow = state === "ready";
	return (
		<>
			{hasRules && (
				<RulesOffered
					subject={subject}
					isHere={isHere}
					onLimit={choices.includes("allowFolder") && !isSent ? setHere : undefined}
				/>
			)}
			{opened !== undefined && (
				<p class="rule quiet">
					{sentence(
						"“Always allow” lets commands in all threads read {0}. It is saved in your user settings.",
						<code class="code-inline">{<EscapedText text={opened} />}</code>,
					)}
				</p>
			)}
			{listed !== undefined && (
				<p class="rule quiet">
					{sentence(
						"“Always allow” adds {0} to the allowed sites in your user settings, for all threads.",
						<code class="code-inline">{<EscapedText text={listed} />}</code>,
					)}
				</p>
			)}
			{subject.kind === "serverTool" && choices.includes("allowThread") && (
				<p class="rule quiet">
					{sentence(
						"“Allow in this thread” covers {0} with any arguments.",
						<code class="code-inline">{<EscapedText text={subject.tool} />}</code>,
					)}
				</p>
			)}
			{subject.kind === "customizations" && (
				<p class="rule quiet">
					{t("Your answer is stored on this machine, not in the workspace. Any change asks again.")}
				</p>
			)}
			{served !== undefined && (
				<p class="rule quiet">
					{sentence(
						"“Always allow” saves a rule in your user settings: {0} is called with any arguments without asking, in all threads, until the server or its settings change.",
						<code class="code-inline">{<EscapedText text={`${served.server}: ${served.tool}`} />}</code>,
					)}
				</p>
			)}
			<div class="answers">
				<TooSoon isRefused={isRefused} />
				{state === "unread" && <p class="quiet">{t("Scroll through all of it before allowing.")}</p>}
				{state === "unopened" && <p class="quiet">{t("Open the full diff before allowing.")}</p>}
				<div class="actions">
					<button
						type="button"
						ref={denyButton}
						class="button-secondary"
						data-decision="deny"
						title={t("Deny ({0})", "Alt+Backspace")}
						disabled={isSent}
						onClick={() => onAnswer("deny")}
					>
						{t("Deny")}
					</button>
					{choices.includes("allow") && (
						<button
							type="button"
							class="button"
							data-decision="allow"
							title={isLasting ? t("Allow ({0})", "Alt+Enter") : t("Allow once ({0})", "Alt+Enter")}
							disabled={!mayAllow}
							onClick={() => onAnswer("allow")}
						>
							{isLasting ? t("Allow") : t("Allow once")}
						</button>
					)}
					{choices.includes("allowThread") && (
						<Choice decision="allowThread" label={t("Allow in this thread")} isReady={mayAllow} onAnswer={onAnswer} />
					)}
					{(hasRules || (opened ?? listed ?? served) !== undefined) && (
						<Choice
							decision={isHere ? "allowFolder" : "allowRule"}
							label={t("Always allow")}
							isReady={mayAllow}
							onAnswer={onAnswer}
						/>
					)}
					<button
						type="button"
						class="text-button"
						aria-expanded={isNoting}
						disabled={isSent}
						onClick={() => setNoting(!isNoting)}
					>
						{t("Deny and explain…")}
					</button>
					{choices.includes("abort") && (
						<button
							type="button"
							class="text-button"
							data-decision="abort"
							disabled={isSent}
							onClick={() => onAnswer("abort")}
						>
							{t("Stop")}
						</button>
					)}
				</div>
				{isNoting && !isSent && <Note approvalId={request.approvalId} onSend={(note) => onAnswer("deny", note)} />}
			</div>
		</>
	);
}

interface ChoiceProps {
	readonly decision: ApprovalDecision;
	readonly label: string;
	readonly isReady: boolean;
	readonly onAnswer: Props["onAnswer"];
}

function Choice({ decision, label, isReady, onAnswer }: ChoiceProps) {
	return (
		<button
			type="button"
			class="button-secondary"
			data-decision={decision}
			disabled={!isReady}
			onClick={() => onAnswer(decision)}
		>
			{label}
		</button>
	);
}

interface NoteProps {
	readonly approvalId: string;
	readonly onSend: (note: string) => void;
}

function Note({ approvalId, onSend }: NoteProps) {
	const { notes } = usePage().waiting.begun;
	const [note, setNote] = useState(() => notes.get(approvalId) ?? "");
	const isEmpty = note.trim() === "";
	const input = useRef<HTMLTextAreaElement>(null);
	useEffect(() => input.current?.focus(), []);
	return (
		<div class="note">
			<textarea
				ref={input}
				class="input"
				rows={2}
				dir="auto"
				maxLength={MAX_NOTE_CHARS}
				aria-label={t("Note for the model")}
				placeholder={t("What should the model do instead?")}
				value={note}
				onInput={({ currentTarget: { value } }) => {
					notes.set(approvalId, value);
					setNote(value);
				}}
				onKeyDown={(event) => {
					if (event.key !== "Enter" || event.shiftKey || event.altKey || isInInputMethod(event)) return;
					event.preventDefault();
					if (!event.repeat && !isEmpty) onSend(note.trim());
				}}
			/>
			<button type="button" class="button" disabled={isEmpty} onClick={() => onSend(note.trim())}>
				{t("Deny with explanation")}
			</button>
		</div>
	);
}
