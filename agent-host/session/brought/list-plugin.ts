import { listParts, renderCost } from "../../capabilities/plugins/offer.ts";
import type { Plugin } from "../../capabilities/plugins/plugin.ts";
import { estimateTokens } from "../../history/tokens.ts";
import type { ListedPlugin } from "../../protocol/host/plugins.ts";

/** A plugin for the user: what it brings along, and what that costs in every request. */
export function listPlugin(plugin: Plugin): ListedPlugin {
	const { name, version, about, folder, digest, problems } = plugin;
	return {
		...{ name, version, about, folder, digest },
		...listParts(plugin),
		tokens: estimateTokens(renderCost(plugin)),
		problems: [...problems],
	};
}
