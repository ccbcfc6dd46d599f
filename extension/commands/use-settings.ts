import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { type Parts, shownThread } from "./parts.ts";

/** The thread takes what the settings say now: another model, or wider permissions. */
export async function useSettings(parts: Parts): Promise<void> {
	await choose(parts, ({ offered }) => offered);
}

/** The thread stays as it is, and the settings of today are no longer offered to it. */
export async function keepSettings(parts: Parts): Promise<void> {
	await choose(parts, ({ offered, held, settings }) => ({
		...(offered.model && { model: { ...held.model, ...settings.model } }),
		...(offered.permissions && {
			permissions: only(offered.permissions, { ...held.permissions, ...settings.permissions }),
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

function only<T extends object>(named: Partial<T>, values: T): Partial<T> {
	const chosen = Object.entries(values).filter(([key]) => key in named);
	// Keys of T, with their values.
	return Object.fromEntries(chosen) as Partial<T>;
}
