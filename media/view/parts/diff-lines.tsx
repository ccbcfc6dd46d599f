import type { ComponentChildren } from "preact";
import { showExactly } from "../../model/words/invisible.ts";
import { EscapedText } from "./escaped-text.tsx";

/** A diff coloured by line. Adjacent lines of the same kind are one element. */
export function DiffLines({ text }: { readonly text: string }) {
	return <Lines groups={groupLines(showExactly(text))} show={(part) => part} />;
}

/** The same for an approval: different diffs never look the same. */
export function EscapedDiffLines({ text }: { readonly text: string }) {
	return <Lines groups={groupLines(text)} show={(part) => <EscapedText text={`${part}\n`} tabs="shown" />} />;
}

interface LinesProps {
	readonly groups: readonly Group[];
	readonly show: (text: string) => ComponentChildren;
}

function Lines({ groups, show }: LinesProps) {
	return (
		<pre class="diff">
			{groups.map(({ kind, lines }, index) => (
				<span key={index} class={`diff-${kind}`}>
					{show(lines.join("\n"))}
				</span>
			))}
		</pre>
	);
}

type LineKind = "added" | "removed" | "place" | "same";

interface Group {
	readonly kind: LineKind;
	readonly lines: string[];
}

/** A final line end does not start a line. */
function groupLines(text: string): readonly Group[] {
	const groups: Group[] = [];
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	for (const [index, line] of lines.entries()) {
		const kind = isFileHead(lines, index) ? "place" : classifyLine(line);
		const last = groups.at(-1);
		if (last?.kind === kind) last.lines.push(line);
		else groups.push({ kind, lines: [line] });
	}
	return groups;
}

function classifyLine(line: string): LineKind {
	if (/^(?:@@|\*\*\* |diff )/.test(line)) return "place";
	if (line.startsWith("+")) return "added";
	return line.startsWith("-") ? "removed" : "same";
}

/** Only in pairs: a removed line may also start with two dashes. */
function isFileHead(lines: readonly string[], index: number): boolean {
	const [before, line, next] = [lines[index - 1], lines[index], lines[index + 1]];
	if (line?.startsWith("--- ")) return next?.startsWith("+++ ") ?? false;
	return line?.startsWith("+++ ") === true && before?.startsWith("--- ") === true;
}
