import { useLayoutEffect, useRef } from "preact/hooks";
import { countOf } from "../../../l10n/t.ts";
import { readAnsi, stripAnsi } from "../../model/thread/ansi.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { CodeBar } from "../parts/code-bar.tsx";

/** Longest output that is drawn, half from the start and half from the end. Copy gives all of it. */
const SHOWN_OUTPUT_CHARS = 60_000;

interface Props {
	readonly label: string;
	readonly text: string;
	/** While it grows, its end is shown. */
	readonly state: "growing" | "whole";
	/** `end`: for a failure, whose reason comes last. */
	readonly opensAt?: "start" | "end";
}

/** Output of a command, with its colours. */
export function Output({ label, text, state, opensAt = "start" }: Props) {
	const section = useRef<HTMLElement>(null);
	useLayoutEffect(() => {
		if (opensAt === "end" && section.current) section.current.scrollTop = section.current.scrollHeight;
	}, [opensAt]);
	const { head, tail, hidden } = splitShown(text, state);
	return (
		<div class="code">
			<CodeBar label={label} copied={() => showInvisible(stripAnsi(text))} />
			{/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
			<section ref={section} class="output" data-output={state} tabIndex={0} aria-label={label}>
				<pre>
					<Colored text={head} />
					{hidden > 0 && (
						<span class="output-gap">{countOf(hidden, "{0} character not shown", "{0} characters not shown")}</span>
					)}
					<Colored text={tail} />
				</pre>
			</section>
		</div>
	);
}

/** Text with the colours of its escape sequences; other sequences are dropped. */
export function Colored({ text }: { readonly text: string }) {
	return (
		<>
			{readAnsi(text).map((run, index) => {
				const shown = showInvisible(run.text);
				return run.looks.length === 0 ? (
					shown
				) : (
					<span key={index} class={run.looks.map((look) => `ansi-${look}`).join(" ")}>
						{shown}
					</span>
				);
			})}
		</>
	);
}

interface Parts {
	readonly head: string;
	readonly tail: string;
	readonly hidden: number;
}

function splitShown(text: string, state: Props["state"]): Parts {
	const hidden = text.length - SHOWN_OUTPUT_CHARS;
	if (hidden <= 0) return { head: text, tail: "", hidden: 0 };
	const headChars = state === "growing" ? 0 : SHOWN_OUTPUT_CHARS / 2;
	return { head: text.slice(0, headChars), tail: text.slice(headChars - SHOWN_OUTPUT_CHARS), hidden };
}
