import * as vscode from "vscode";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { ReasoningEffort } from "../../../agent-host/protocol/settings/model-values.ts";
import { contextInspect } from "../../../agent-host/protocol/thread/context.ts";
import { threadSettings } from "../../../agent-host/protocol/thread/thread.ts";
import { type Message, t } from "../../../l10n/t.ts";
import { readSettings } from "../../facts/settings.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { Parts } from "../parts.ts";
import { listProviders, loadModels, type ProviderGroup } from "./model-groups.ts";
import { type ChosenModel, createModelShelf, pickChosen } from "./model-shelf.ts";
import { describeReread } from "./model-words.ts";
import { pickModel } from "./pick-model.ts";
import { setUpModel } from "./set-up-model.ts";
import { askModelName } from "./set-up-server.ts";

/** Changes the thread's model to another one, of any configured provider. */
export async function changeModel(parts: Parts): Promise<void> {
	const { host, panel } = parts;
	const threadId = await panel.ensureThread();
	const { settings, held } = await host.request(threadSettings, { threadId });
	const { model: configured, providers } = readSettings();
	const current = { ...configured, ...held.model, ...settings.model };
	const groups = listProviders(current, configured, providers);
	const shelf = createModelShelf(parts.memory);
	const picked = await pickModel({
		title: t("Change Model of This Thread"),
		placeholder: (await warnOfReread(host, threadId)) ?? t("Model for the next turn"),
		current: pickChosen(current),
		groups,
		load: (group) => loadModels(host, group),
		shelf,
	});
	if (picked === undefined) return;
	if (picked.kind === "setUp") return setUpModel(parts);
	if (picked.kind === "type") {
		const id = await askModelName(t("Change Model"));
		if (id !== undefined) await host.request(threadSettings, { threadId, settings: { model: { id } } });
		return;
	}
	const chosen = pickChosen(picked);
	const model = { ...chosen, contextWindow: windowSetting(groups, chosen) };
	await host.request(threadSettings, { threadId, settings: { model } });
	await shelf.noteChosen(chosen);
}

/** The user's window setting counts for the models of its provider only. */
function windowSetting(groups: readonly ProviderGroup[], { provider, baseUrl }: ChosenModel): number {
	const group = groups.find(({ place }) => place.provider === provider && place.baseUrl === baseUrl);
	return group?.contextWindow ?? 0;
}

/** A warning if the change makes the provider process many cached tokens again. */
async function warnOfReread(host: HostClient, threadId: ThreadId): Promise<string | undefined> {
	// Without a configured model nothing is cached.
	const inspected = await host.request(contextInspect, { threadId }).catch(() => undefined);
	return inspected && describeReread(inspected, readSettings().model.rereadWarning);
}

const EFFORTS: Readonly<Record<ReasoningEffort, Message>> = {
	none: "No reasoning.",
	minimal: "Minimal reasoning.",
	low: "Some reasoning: fast and inexpensive.",
	medium: "Balanced.",
	high: "More reasoning: slower and more expensive, for hard problems.",
	xhigh: "Even more reasoning, for the hardest problems.",
	max: "Maximum reasoning.",
};

/** Changes the reasoning effort from the thread's next turn on. */
export async function changeReasoningEffort({ host, panel }: Parts): Promise<void> {
	const threadId = await panel.ensureThread();
	const { settings, held } = await host.request(threadSettings, { threadId });
	const now = settings.model?.reasoningEffort ?? held.model?.reasoningEffort;
	const picked = await vscode.window.showQuickPick(
		ReasoningEffort.options.map((effort) => ({
			label: effort,
			detail: t(EFFORTS[effort]),
			...(effort === now ? { description: t("current") } : {}),
			effort,
		})),
		{
			title: t("Change Reasoning Effort of This Thread"),
			placeHolder:
				(await warnOfReread(host, threadId)) ?? t("Reasoning effort (unsupported values use the nearest one)"),
		},
	);
	if (picked === undefined) return;
	await host.request(threadSettings, { threadId, settings: { model: { reasoningEffort: picked.effort } } });
}
