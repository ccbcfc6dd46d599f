import { t } from "../../l10n/t.ts";
import type { Page } from "../model/page.ts";
import { canReadFiles, listWaysToBegin, type Way } from "../model/ways-to-begin.ts";
import { showInvisible } from "../model/words/invisible.ts";
import type { NextTurn, PanelState } from "../wire.ts";
import { usePage } from "./parts/page-context.ts";

/** An empty thread: what the agent can access now, and suggestions for a prompt. */
export function Welcome() {
	const page = usePage();
	const panel = page.panel.value;
	if (!panel) return null;
	return (
		<section class="welcome" aria-labelledby="welcome-title">
			<h2 id="welcome-title">{t("What should we work on?")}</h2>
			<p>{showInvisible(describeReach(panel, page.next.value))}</p>
			<ul>
				{listWaysToBegin(panel, page.composer.attached.offered.value, page.now()).map((way) => (
					<li key={way.label}>
						<button type="button" class="example" onClick={() => begin(page, way)}>
							{showInvisible(way.label)}
						</button>
					</li>
				))}
			</ul>
		</section>
	);
}

function begin({ composer, post }: Page, way: Way): void {
	switch (way.kind) {
		case "open":
			post({ type: "openThread", threadId: way.threadId });
			break;
		case "ask":
			composer.attached.add(way.attach);
			composer.suggest(way.text);
	}
}

function describeReach(panel: PanelState, next: NextTurn | undefined): string {
	const model = next?.model ?? panel.model.label;
	if (model === "") return t("No model is set up yet. Set one up to start.");
	if (!canReadFiles(panel))
		return t("Using {0}. No files are available, so answers are based on your prompt only.", model);
	const reach = t("Using {0} in {1}.", model, listNames(panel.folders));
	if (!panel.trusted)
		return `${reach} ${t("Restricted Mode: it can read files, but not change them or run commands.")}`;
	const { probedAt } = panel;
	return [
		reach,
		...(next === undefined ? [] : [t("Permissions: {0}.", next.name)]),
		...(probedAt === undefined ? [] : [t("Sandbox verified.")]),
	].join(" ");
}

function listNames(names: readonly string[]): string {
	if (names.length < 2) return names.join("");
	return t("{0} and {1}", names.slice(0, -1).join(", "), names.at(-1) ?? "");
}
