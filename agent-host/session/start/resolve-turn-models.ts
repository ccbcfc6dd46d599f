import type { ResolvedModel, TurnRequest } from "../../envelope/resolve-envelope.ts";
import { ModelFailure } from "../../model/port.ts";
import { resolveModel } from "../../model/resolve-model.ts";
import { HostError } from "../../protocol/errors.ts";
import { say } from "../../protocol/say.ts";
import type { Managed } from "../../protocol/settings/managed-limits.ts";
import { placeModel } from "../../protocol/settings/model-place.ts";
import type { ProvidersSettings } from "../../protocol/settings/provider-settings.ts";
import type { ModelSettings, Settings } from "../../protocol/settings/settings.ts";
import type { Ports } from "../ports/ports.ts";

/** The models of a turn, or a refusal: the one that answers, and one at another provider that writes the summaries. */
export function resolveTurnModels(
	{ model: settings, compaction }: Settings,
	providers: ProvidersSettings,
	managed: readonly Managed[],
	{ servers }: Pick<Ports, "servers">,
): Pick<TurnRequest, "model" | "summarizer"> {
	const resolve = (wanted: ModelSettings): ResolvedModel => {
		const model = resolveModel(wanted, servers, providers);
		if (model instanceof ModelFailure) throw new HostError("settings-refused", model.said);
		checkModelServer(wanted.provider, model.baseUrl, managed);
		return model;
	};
	const model = resolve(settings);
	const placed = placeModel({ ...settings, id: compaction.model }, providers);
	if (placed.id === compaction.model) return { model };
	const other = { ...settings, ...placed };
	return { model, summarizer: { settings: other, model: resolve(other) } };
}

/** Prompts go only where the machine's administrator allows. The demo model is part of this program. */
function checkModelServer(
	provider: ModelSettings["provider"],
	baseUrl: string | undefined,
	managed: readonly Managed[],
): void {
	if (provider === "demo" || managed.length === 0) return;
	const server = provider === "editor" ? "editor" : new URL(baseUrl ?? "").origin;
	const isAllowed = (one: string) => one === server || (one !== "editor" && new URL(one).origin === server);
	const closed = managed.find(({ limits: { modelServers } }) => modelServers && !modelServers.some(isAllowed));
	if (closed !== undefined)
		throw new HostError("settings-refused", say("model-not-allowed", { server, file: closed.file }));
}
