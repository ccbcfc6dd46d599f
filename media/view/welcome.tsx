import type { PanelState } from "../wire.ts";
import { showInvisible } from "./invisible.ts";
import { usePage } from "./page-context.ts";

const WITH_FILES = [
	"Explain what this workspace does and how it is laid out",
	"Where is the entry point, and what happens from there?",
	"Which parts of this code have no tests?",
];

const WITHOUT_FILES = ["What can you do in this window?", "Explain a regular expression to me, piece by piece"];

/** An empty thread: what the agent can see and do now, and something to begin with. */
export function Welcome() {
	const page = usePage();
	const panel = page.panel.value;
	if (!panel) return null;
	return (
		<section class="welcome" aria-labelledby="welcome-title">
			<h2 id="welcome-title">What should we work on?</h2>
			<p>{showInvisible(describeReach(panel))}</p>
			<ul>
				{(canReadFiles(panel) ? WITH_FILES : WITHOUT_FILES).map((prompt) => (
					<li key={prompt}>
						<button type="button" class="example" onClick={() => page.suggest(prompt)}>
							{prompt}
						</button>
					</li>
				))}
			</ul>
		</section>
	);
}

function canReadFiles({ folders, folderProblem }: PanelState): boolean {
	return folders.length > 0 && folderProblem === undefined;
}

function describeReach(panel: PanelState): string {
	const model = panel.model.label || "the model";
	if (!canReadFiles(panel)) return `The agent answers with ${model} from what you write. It sees no files.`;
	const trust = panel.trusted ? "trusted" : "Restricted Mode";
	const reach = `The agent can read files in ${listNames(panel.folders)} (${trust}) and answers with ${model}.`;
	if (!panel.trusted) return `${reach} It cannot change files or run commands.`;
	return panel.policy === undefined ? reach : `${reach} Permissions: ${panel.policy.name}.`;
}

function listNames(names: readonly string[]): string {
	if (names.length < 2) return names.join("");
	return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
