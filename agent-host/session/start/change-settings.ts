import { chooseIn } from "../../envelope/kept-contract.ts";
import { ModelFailure } from "../../model/port.ts";
import { resolveModel } from "../../model/resolve-model.ts";
import { limitSettings } from "../../permissions/resolve/limit-settings.ts";
import { MODE_NAMES } from "../../permissions/words/policy-words.ts";
import { HostError } from "../../protocol/errors.ts";
import { say } from "../../protocol/say.ts";
import type { PartialSettings, Settings } from "../../protocol/settings/settings.ts";
import { isFolder } from "../../workspace/files/small-file.ts";
import { type Facts, layerSettings, readChoice, readProviders } from "../facts.ts";
import type { Draft, LiveThread } from "../thread/live-thread.ts";
import { findOpenFolder, type ThreadContract, threadContract } from "../thread/thread-contract.ts";
import { readLimits } from "./read-limits.ts";
import type { SealInputs } from "./seal-turn.ts";

export interface SettingsChange {
	readonly cwd?: string | undefined;
	readonly settings: PartialSettings;
}

/**
 * Changes the settings for the next and later turns of a thread: all of them, or none with the reason. A running turn
 * keeps the envelope it was sealed with.
 */
export async function changeThreadSettings(
	thread: LiveThread,
	change: SettingsChange,
	{ facts, ports, full, readWorktrees }: Pick<SealInputs, "facts" | "ports" | "full" | "readWorktrees">,
): Promise<SettingsInForce> {
	await readWorktrees();
	if (asksOnly(change)) return toSettingsInForce(threadContract(full.held(thread.state()), facts));
	if (thread.refusal !== undefined) throw thread.refusal;
	const choose = () => {
		const contract = threadContract(full.held(thread.state()), facts);
		const chosen = chooseIn(contract, readChoice(change.settings, facts), facts.settings);
		const layered = layerSettings(chosen.settings);
		const model = resolveModel(layered.model, ports.servers, readProviders(facts));
		if (model instanceof ModelFailure) throw new HostError("settings-refused", model.said);
		return { own: chosen.own, held: chosen.held, layered };
	};
	const { layered } = choose();
	if (change.settings.permissions?.mode !== undefined) await checkMode(layered);
	await checkCwd(change.cwd, facts);
	await thread.commit((state): readonly Draft[] => {
		// Once more, because another choice may have come first.
		const { own: settings, held } = choose();
		const { cwd = state.cwd } = change;
		const folder = cwd === undefined ? {} : { cwd };
		if (!state.written) {
			thread.configure({ settings, cwd });
			return [];
		}
		return [
			{ kind: "settings", settings, held, ...folder },
			{ kind: "event", event: { type: "settingsChanged", settings, ...folder } },
		];
	}, "synced");
	full.note(thread.state().threadId, change.settings);
	return toSettingsInForce(threadContract(thread.state(), facts));
}

/** Whether only the current settings are wanted. */
export function asksOnly({ cwd, settings }: SettingsChange): boolean {
	return cwd === undefined && Object.keys(settings).length === 0;
}

/** The effective settings for the next turn of a thread. */
export interface SettingsInForce {
	/** The user's choices for it, and the client settings that it keeps otherwise. */
	readonly settings: PartialSettings;
	readonly held: PartialSettings;
	readonly cwd: string | undefined;
	readonly isFolderOpen: boolean;
	readonly offered: PartialSettings;
}

function toSettingsInForce({ own, held, folder, offered }: ThreadContract): SettingsInForce {
	return { settings: own, held, cwd: folder.cwd, isFolderOpen: folder.isOpen, offered };
}

/** A mode that the machine's administrator does not allow is refused now, not silently narrowed later. */
async function checkMode(settings: Settings): Promise<void> {
	for (const managed of await readLimits()) {
		const { mode } = limitSettings(settings, [managed]).permissions;
		if (mode === settings.permissions.mode) continue;
		throw new HostError("settings-refused", say("mode-not-allowed", { file: managed.file, mode: MODE_NAMES[mode] }));
	}
}

/** A thread must work in an existing folder below an open one, or in a worktree of one. */
export async function checkCwd(
	cwd: string | undefined,
	facts: Pick<Facts, "folders" | "trusted" | "worktrees">,
): Promise<void> {
	if (cwd === undefined) return;
	if (findOpenFolder(cwd, facts) === undefined)
		throw new HostError("settings-refused", say("folder-not-open", { cwd }));
	if (!isFolder(cwd)) throw new HostError("settings-refused", say("not-a-folder", { cwd }));
}
