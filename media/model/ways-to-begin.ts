import { agoOf, type Message, t } from "../../l10n/t.ts";
import type { Attachable, PanelState } from "../wire.ts";

/** A suggestion for an empty thread: a prompt with attachments, or a thread to continue. */
export type Way =
	| { readonly kind: "ask"; readonly label: string; readonly text: string; readonly attach: readonly Attachable[] }
	| { readonly kind: "open"; readonly label: string; readonly threadId: string };

/** Fewer would leave a newcomer without an idea of what to ask. */
const SHOWN_WAYS = 3;

const WITH_FILES: readonly Message[] = [
	"Where is the entry point, and what happens from there?",
	"Which parts of this code have no tests?",
];

const WITHOUT_FILES: readonly Message[] = [
	"What can you do in this window?",
	"Explain a regular expression step by step",
];

/** Suggestions for an empty thread: those about the open editor first, then general ones. */
export function listWaysToBegin(panel: PanelState, offered: readonly Attachable[], now: number): readonly Way[] {
	const { latest } = panel;
	const goOn: readonly Way[] =
		latest === undefined
			? []
			: [
					{
						kind: "open",
						label: t("Continue: {0} ({1})", latest.title, agoOf(latest.at, now)),
						threadId: latest.threadId,
					},
				];
	if (!canReadFiles(panel)) return [...WITHOUT_FILES.map(askWith), ...goOn];
	const problems = panel.trusted ? offered.find(({ kind }) => kind === "problems") : undefined;
	const fix: readonly Way[] =
		problems === undefined
			? []
			: [
					{
						kind: "ask",
						label: t("Fix {0}", problems.title),
						text: t("Fix the attached problems."),
						attach: [problems],
					},
				];
	const atHand = [
		...demoWays(panel),
		askWith("Explain what this workspace does and how it is structured"),
		...fix,
		...goOn,
	];
	return [...atHand, ...WITH_FILES.map(askWith)].slice(0, Math.max(SHOWN_WAYS, atHand.length));
}

/** What the demo model can show, which nobody would guess. */
function demoWays({ model, folders, trusted }: PanelState): readonly Way[] {
	if (model.provider !== "demo" || !trusted) return [];
	const isSample = folders.some((name) => SAMPLE_NAMES.has(name));
	const ways = isSample ? (["Fix the bug in the README", "Show me around"] as const) : (["Show me around"] as const);
	// It is scripted in English.
	return ways.map((text) => ({ kind: "ask", label: t(text), text, attach: [] }));
}

/** Names of the sample workspace's folder. */
const SAMPLE_NAMES: ReadonlySet<string> = new Set(["corner-shop", "sample-workspace"]);

export function canReadFiles({ folders, folderProblem }: PanelState): boolean {
	return folders.length > 0 && folderProblem === undefined;
}

function askWith(message: Message): Way {
	const text = t(message);
	return { kind: "ask", label: text, text, attach: [] };
}
