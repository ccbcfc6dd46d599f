import type { ListedSource } from "../../../agent-host/protocol/thread/context.ts";
import { countOf, type Message, t } from "../../../l10n/t.ts";
import type { Inspector } from "../../model/inspector/inspector.ts";
import { showInvisible } from "../../model/words/invisible.ts";

const KINDS: Record<ListedSource["kind"], Message> = {
	server: "MCP server",
	skills: "Skills",
	plugin: "Plugin",
	hooks: "Hooks",
	agents: "Agents",
};

interface Props {
	readonly inspector: Inspector;
	readonly sources: readonly ListedSource[];
}

/** Servers, skills, plugins, hooks and agent files of the thread: what each costs, and a switch for each. */
export function Sources({ inspector, sources }: Props) {
	if (sources.length === 0) return null;
	return (
		<fieldset id="sources">
			<legend>{t("Used in this thread")}</legend>
			<ul>
				{sources.map((source, index) => (
					<li key={`${source.kind} ${source.name}`}>
						<label>
							<input
								type="checkbox"
								checked={!source.isOff}
								onChange={({ currentTarget }) => inspector.switchSource(index, !currentTarget.checked)}
							/>
							<span>{t(KINDS[source.kind])}</span> <code>{showInvisible(source.name)}</code>{" "}
							<span class="quiet">{describeCost(source)}</span>
						</label>
					</li>
				))}
			</ul>
		</fieldset>
	);
}

function describeCost({ tokens, isOff }: ListedSource): string {
	if (tokens === 0) return isOff ? t("off") : t("no tokens");
	const cost = countOf(tokens, "about {0} token per request", "about {0} tokens per request");
	return isOff ? t("off, would add {0}", cost) : cost;
}
