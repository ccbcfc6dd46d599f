import * as vscode from "vscode";
import { modelList } from "../../../agent-host/protocol/host/host.ts";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { ReasoningEffort } from "../../../agent-host/protocol/settings/settings.ts";
import { contextInspect } from "../../../agent-host/protocol/thread/context.ts";
import { threadSettings } from "../../../agent-host/protocol/thread/thread.ts";
import { type Message, t } from "../../../l10n/t.ts";
import { readSettings } from "../../facts/settings.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { Parts } from "../parts.ts";
import { describeReread, describeWindow } from "./model-words.ts";
import { setUpModel } from "./set-up-model.ts";
import { askModelName } from "./set-up-server.ts";

/** Changes the thread's model to another one of the same server. */
export async function changeModel(parts: Parts): Promise<void> {
	const { host, panel } = parts;
	const threadId = await panel.ensureThread();
	const { settings, held } = await host.request(threadSettings, { threadId });
	const model = { ...held.model, ...settings.model };
	const { models } = await host.request(modelList, { settings: { model } });
	const [typeName, setUp] = [`$(edit) ${t("Type a name…")}`, `$(settings-gear) ${t("Set Up Another Model…")}`];
	const sorted = models.toSorted((a, b) => (a.id < b.id ? -1 : 1));
	const picked = await vscode.window.showQuickPick(
		[
			...sorted.map((one) => ({
				label: one.id,
				description: one.id === model.id ? t("current, {0}", describeWindow(one)) : describeWindow(one),
			})),
			{ label: "", kind: vscode.QuickPickItemKind.Separator },
			{ label: typeName },
			{ label: setUp },
		],
		{
			title: t("Change Model of This Thread"),
			placeHolder: (await warnOfReread(host, threadId)) ?? t("Model for the next turn"),
		},
	);
	if (picked === undefined) return;
	if (picked.label === setUp) return setUpModel(parts);
	const id = picked.label === typeName ? await askModelName(t("Change Model")) : picked.label;
	if (id !== undefined) await host.request(threadSettings, { threadId, settings: { model: { id } } });
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
