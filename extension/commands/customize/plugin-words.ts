import type { ListedPlugin } from "../../../agent-host/protocol/host/plugins.ts";
import { t } from "../../../l10n/t.ts";

/** Everything that a plugin brings along and what it costs, for the question whether to install it. */
export function describePlugin({
	about,
	skills,
	commands,
	agents,
	hooks,
	servers,
	tokens,
	problems,
}: ListedPlugin): string {
	const parts = [
		list(t("Skills"), skills),
		list(t("Commands"), commands),
		list(t("Agents"), agents),
		list(t("Hooks, run in the sandbox"), hooks),
		list(t("MCP servers"), servers),
	].flat();
	return [
		...(about === "" ? [] : [about]),
		...(parts.length === 0 ? [t("It brings nothing along that can be used.")] : parts),
		...list(t("Not used"), problems),
		t("About {0} tokens in every request", tokens),
	].join("\n\n");
}

function list(title: string, lines: readonly string[]): readonly string[] {
	return lines.length === 0 ? [] : [[title, ...lines.map((line) => `• ${line}`)].join("\n")];
}
