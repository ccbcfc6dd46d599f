import * as vscode from "vscode";
import type { PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { threadSettings } from "../../../agent-host/protocol/thread/thread.ts";
import { t } from "../../../l10n/t.ts";
import { readSettings } from "../../facts/settings.ts";
import { type Parts, shownThread } from "../parts.ts";

const STATUS_MS = 4_000;

/** Toggles between Plan and Act from the next turn on. */
export async function togglePlan({ host, panel, policy }: Parts): Promise<void> {
	const threadId = await panel.ensureThread();
	const { settings } = await host.request(threadSettings, { threadId, settings: {} });
	const now = settings.modes?.collaboration ?? readSettings().settings.modes?.collaboration;
	const collaboration = now === "plan" ? "default" : "plan";
	await host.request(threadSettings, { threadId, settings: { modes: { collaboration } } });
	policy.refresh();
	const [plans, does] = [
		t("Plan mode is on. The next turn makes no changes."),
		t("Plan mode is off. The next turn can make changes."),
	];
	vscode.window.setStatusBarMessage(collaboration === "plan" ? plans : does, STATUS_MS);
}

/** Switches live mode of the thread: short answers that can be read aloud, from the next turn on. */
export async function toggleLive({ host, panel, policy }: Parts): Promise<void> {
	const threadId = await panel.ensureThread();
	const { settings } = await host.request(threadSettings, { threadId, settings: {} });
	const realtime = settings.modes?.realtime !== true;
	await host.request(threadSettings, { threadId, settings: { modes: { realtime } } });
	policy.refresh();
	vscode.window.setStatusBarMessage(
		realtime ? t("Live mode is on. Answers are short enough to be read aloud.") : t("Live mode is off."),
		STATUS_MS,
	);
}

/** Applies the current settings to the thread, such as another model or wider permissions. */
export async function useSettings(parts: Parts): Promise<void> {
	await choose(parts, ({ offered }) => offered);
}

/** Keeps the thread's settings and stops offering the current ones. */
export async function keepSettings(parts: Parts): Promise<void> {
	await choose(parts, ({ offered, held, settings }) => ({
		...(offered.model && { model: { ...held.model, ...settings.model } }),
		...(offered.permissions && {
			permissions: pickKeys(offered.permissions, { ...held.permissions, ...settings.permissions }),
		}),
		...(offered.approval && { approval: settings.approval ?? held.approval }),
	}));
}

interface Kept {
	readonly settings: PartialSettings;
	readonly held: PartialSettings;
	readonly offered: PartialSettings;
}

async function choose(parts: Parts, choice: (kept: Kept) => PartialSettings): Promise<void> {
	const threadId = shownThread(parts);
	const kept = await parts.host.request(threadSettings, { threadId });
	await parts.host.request(threadSettings, { threadId, settings: choice(kept) });
	parts.policy.refresh();
}

function pickKeys<T extends object>(named: Partial<T>, values: T): Partial<T> {
	const chosen = Object.entries(values).filter(([key]) => key in named);
	// Keys of T, with their values.
	return Object.fromEntries(chosen) as Partial<T>;
}
