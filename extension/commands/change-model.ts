import * as vscode from "vscode";
import { modelList } from "../../agent-host/protocol/host.ts";
import { ReasoningEffort } from "../../agent-host/protocol/settings.ts";
import { threadSettings } from "../../agent-host/protocol/thread.ts";
import { readSettings } from "../facts/settings.ts";
import type { Parts } from "./parts.ts";
import { askModelName, setUpModel } from "./set-up-model.ts";

const TYPE_A_NAME = "$(edit) Type a name…";
const SET_UP = "$(settings-gear) Set Up Another Model…";

/** Lets another model of the same server go on with the thread. */
export async function changeModel({ host, panel, keys }: Parts): Promise<void> {
	const threadId = await panel.ensureThread();
	const { settings } = await host.request(threadSettings, { threadId, settings: {} });
	const now = settings.model?.id ?? readSettings().model.id;
	const { models } = await host.request(modelList, { settings });
	const names = models.map(({ id }) => id).sort();
	const picked = await vscode.window.showQuickPick(
		[
			...names.map((label) => (label === now ? { label, description: "now" } : { label })),
			{ label: "", kind: vscode.QuickPickItemKind.Separator },
			{ label: TYPE_A_NAME },
			{ label: SET_UP },
		],
		{ title: "Change Model of This Thread", placeHolder: "Which model goes on from the next turn?" },
	);
	if (picked === undefined) return;
	if (picked.label === SET_UP) return setUpModel(host, keys);
	const id = picked.label === TYPE_A_NAME ? await askModelName("Change Model") : picked.label;
	if (id !== undefined) await host.request(threadSettings, { threadId, settings: { model: { id } } });
}

const EFFORTS: Readonly<Record<ReasoningEffort, string>> = {
	none: "Answers at once.",
	minimal: "Thinks as little as it can.",
	low: "Thinks a little: quick and cheap.",
	medium: "The usual balance.",
	high: "Thinks long: slower and dearer, for hard problems.",
	max: "Thinks as long as it can.",
};

/** Changes how much the model thinks, from the thread's next turn on. */
export async function changeReasoningEffort({ host, panel }: Parts): Promise<void> {
	const threadId = await panel.ensureThread();
	const { settings } = await host.request(threadSettings, { threadId, settings: {} });
	const now = settings.model?.reasoningEffort ?? readSettings().model.reasoningEffort;
	const picked = await vscode.window.showQuickPick(
		ReasoningEffort.options.map((effort) => ({
			label: effort,
			detail: EFFORTS[effort],
			...(effort === now ? { description: "now" } : {}),
			effort,
		})),
		{
			title: "Change Reasoning Effort of This Thread",
			placeHolder: "How much should the model think? One that does not know your choice takes its middle one.",
		},
	);
	if (picked === undefined) return;
	await host.request(threadSettings, { threadId, settings: { model: { reasoningEffort: picked.effort } } });
}
