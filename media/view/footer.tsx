import type { PanelState } from "../wire.ts";
import { showInvisible } from "./invisible.ts";
import { usePage } from "./page-context.ts";

/** Under the composer: where, who, what it may do, and how much of the model's window is left. */
export function Footer() {
	const page = usePage();
	const panel = page.panel.value;
	if (!panel) return <footer id="footer" />;
	return (
		<footer id="footer">
			{describe(panel).map((part) => (
				<span key={part} class="footer-part" title={part}>
					{part}
				</span>
			))}
			<ContextMeter />
		</footer>
	);
}

function describe({ folders, folderProblem, model }: PanelState): string[] {
	const readable = folders.length > 0 && folderProblem === undefined;
	const folder = folders.length > 1 ? `${folders[0]} +${folders.length - 1}` : folders[0];
	return [folder ?? "No folder", model.label, readable ? "reads files only" : "no file access"]
		.filter(Boolean)
		.map(showInvisible);
}

function ContextMeter() {
	const { percentLeft } = usePage().transcript.value;
	if (percentLeft === undefined) return null;
	const percent = Math.round(Math.min(Math.max(percentLeft, 0), 100));
	return (
		<span id="context-meter" class="footer-part" title={`${percent} % of the model's context is left`}>
			<span class="meter" aria-hidden="true">
				<span class="meter-fill" style={{ width: `${100 - percent}%` }} />
			</span>
			{percent}% left
		</span>
	);
}
