import { useRef } from "preact/hooks";
import { clockTimeOf, countOf, t, timeOf } from "../../../../l10n/t.ts";
import { NOTHING_SPLIT, splitBlocks, splitWhole } from "../../../model/markdown/blocks.ts";
import type { MessageEntry, UserEntry } from "../../../model/thread/entry.ts";
import { SHOWN_PROMPT_LINES } from "../../../model/thread/estimate-height.ts";
import type { BlockRow } from "../../../model/thread/rows.ts";
import { readTitles } from "../../../model/thread/thought-titles.ts";
import { showInvisible } from "../../../model/words/invisible.ts";
import { cutHead } from "../../../model/words/text.ts";
import { renderBlock } from "../../markdown/markdown.ts";
import { Fold } from "../../parts/fold.tsx";
import { Icon } from "../../parts/icon.tsx";
import { usePage } from "../../parts/page-context.ts";
import { PromptActions, SteeredActions } from "./prompt-actions.tsx";
import { PromptEditor } from "./prompt-editor.tsx";
import { PromptImages } from "./prompt-images.tsx";

/** How much of a long prompt is shown before it is expanded. */
const SHOWN_PROMPT_CHARS = 2_000;

/** One block of an answer. */
export function BlockView({ row }: { readonly row: BlockRow }) {
	return (
		<article class="markdown" aria-label={row.position === "first" ? t("Answer") : t("Answer, continued")}>
			{renderBlock(row.block, row.references)}
		</article>
	);
}

export function CutMark() {
	return <div class="line quiet">{t("This answer was cut off.")}</div>;
}

export function UserMessage({ entry }: { readonly entry: UserEntry }) {
	if (entry.messageKind === "plain") return <Prompt entry={entry} />;
	return (
		<Fold
			id={entry.key}
			summary={showInvisible(t("Context sent: {0}", entry.messageKind))}
			draw={() => <div class="plain quiet">{showInvisible(entry.text)}</div>}
		/>
	);
}

function Prompt({ entry }: { readonly entry: UserEntry }) {
	const { key, turnId, text, images, steered } = entry;
	const page = usePage();
	const head = cutHead(text, { lines: SHOWN_PROMPT_LINES, chars: SHOWN_PROMPT_CHARS });
	const isOpen = page.openFolds.value.has(key);
	const began = page.thread.startedAt.value.get(turnId);
	const isLong = head.length < text.length;
	const edit = page.composer.edit.open.value;
	if (edit?.turnId === turnId && !steered) {
		return (
			<article class="prompt editing" aria-label={t("You")}>
				<PromptEditor edit={edit} rowKey={key} />
				<PromptImages entryKey={key} images={images} />
			</article>
		);
	}
	return (
		<article
			class="prompt"
			title={began === undefined ? "" : timeOf(began)}
			aria-label={steered ? t("You (while the agent was working)") : t("You")}
		>
			<div class="plain">{showInvisible(isOpen ? text : head)}</div>
			{isLong && (
				<button type="button" class="text-button" aria-expanded={isOpen} onClick={() => page.toggleFold(key)}>
					{isOpen ? t("Show less") : countOf(text.length, "Show all {0} character", "Show all {0} characters")}
				</button>
			)}
			<PromptImages entryKey={key} images={images} />
			<PromptMarks pin={steered ? key : turnId} began={steered ? undefined : began} />
			{steered ? <SteeredActions entry={entry} /> : <PromptActions entry={entry} />}
		</article>
	);
}

/** Always visible on a prompt: whether it is pinned, and when it was sent. */
function PromptMarks({ pin, began }: { readonly pin: string; readonly began: number | undefined }) {
	const page = usePage();
	const isPinned = page.thread.pins.value.has(pin);
	return (
		<div class="prompt-marks">
			{isPinned && (
				<span class="prompt-pinned">
					<Icon name="pinned" />
					{t("Pinned")}
				</span>
			)}
			{began !== undefined && page.panel.value?.chat.timestamps && (
				<time class="prompt-time" dateTime={new Date(began).toISOString()}>
					{clockTimeOf(began)}
				</time>
			)}
		</div>
	);
}

interface ReasoningProps {
	readonly entry: MessageEntry;
	readonly text: string;
}

export function Reasoning({ entry, text }: ReasoningProps) {
	const isThinking = entry.state === "streaming";
	const titles = readTitles(text).join(" · ");
	const state = isThinking ? t("Thinking") : entry.state === "cut" ? t("Thought (cut off)") : t("Thought");
	const summary = (
		<>
			<Icon name={isThinking ? "loading" : "lightbulb"} spin={isThinking ? "spinning" : "still"} />
			{titles !== "" && <span class="sr-only">{state}: </span>}
			<span class="fold-title" title={showInvisible(titles)}>
				{showInvisible(titles) || state}
			</span>
		</>
	);
	return <Fold id={entry.key} summary={summary} draw={() => <Thoughts text={text} isWhole={!isThinking} />} />;
}

function Thoughts({ text, isWhole }: { readonly text: string; readonly isWhole: boolean }) {
	const split = useRef(NOTHING_SPLIT);
	split.current = isWhole ? splitWhole(text, split.current) : splitBlocks(text, split.current);
	const { finished, open, references } = split.current;
	return (
		<div class="markdown quiet">
			{text === "" ? t("No text.") : [...finished, ...open].map((block) => renderBlock(block, references))}
		</div>
	);
}
