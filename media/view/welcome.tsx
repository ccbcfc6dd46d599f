import { type Message, t } from "../../l10n/t.ts";
import type { PanelState } from "../wire.ts";
import { showInvisible } from "./invisible.ts";
import { usePage } from "./page-context.ts";

const WITH_FILES: readonly Message[] = [
	"Explain what this workspace does and how it is laid out",
	"Where is the entry point, and what happens from there?",
	"Which parts of this code have no tests?",
];

const WITHOUT_FILES: readonly Message[] = [
	"What can you do in this window?",
	"Explain a regular expression to me, piece by piece",
];

/** An empty thread: what the agent can see and do now, and something to begin with. */
export function Welcome() {
	const page = usePage();
	const panel = page.panel.value;
	if (!panel) return null;
	return (
		<section class="welcome" aria-labelledby="welcome-title">
			<h2 id="welcome-title">{t("What should we work on?")}</h2>
			<p>{showInvisible(describeReach(panel))}</p>
			<ul>
				{examplesFor(panel).map((prompt) => (
					<li key={prompt}>
						<button type="button" class="example" onClick={() => page.composer.suggest(prompt)}>
							{prompt}
						</button>
					</li>
				))}
			</ul>
		</section>
	);
}

function examplesFor(panel: PanelState): readonly string[] {
	return (canReadFiles(panel) ? WITH_FILES : WITHOUT_FILES).map((prompt) => t(prompt));
}

function canReadFiles({ folders, folderProblem }: PanelState): boolean {
	return folders.length > 0 && folderProblem === undefined;
}

function describeReach(panel: PanelState): string {
	const model = panel.model.label || t("the model");
	if (!canReadFiles(panel)) return t("The agent answers with {0} from what you write. It sees no files.", model);
	const trust = panel.trusted ? t("trusted") : t("Restricted Mode");
	const reach = t(
		"The agent can read files in {0} ({1}) and answers with {2}.",
		listNames(panel.folders),
		trust,
		model,
	);
	if (!panel.trusted) return `${reach} ${t("It cannot change files or run commands.")}`;
	return panel.policy === undefined ? reach : `${reach} ${t("Permissions: {0}.", panel.policy.name)}`;
}

function listNames(names: readonly string[]): string {
	if (names.length < 2) return names.join("");
	return t("{0} and {1}", names.slice(0, -1).join(", "), names.at(-1) ?? "");
}
