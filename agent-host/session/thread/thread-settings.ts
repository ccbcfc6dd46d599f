import { ModelFailure } from "../../model/port.ts";
import { resolveModel } from "../../model/resolve.ts";
import { isInside } from "../../permissions/reach.ts";
import { HostError } from "../../protocol/errors.ts";
import { mergePartialSettings, type PartialSettings } from "../../protocol/settings.ts";
import { isFolder } from "../../sandbox/files/small-file.ts";
import { type Facts, layerSettings } from "../facts.ts";
import type { World } from "../turn/start-turn.ts";
import type { LiveThread } from "./live-thread.ts";

export interface SettingsChange {
	readonly cwd?: string | undefined;
	readonly settings: PartialSettings;
}

/**
 * Changes what holds for the next and later turns of a thread: all of it, or nothing with the reason. A running turn keeps
 * the envelope it was sealed with.
 */
export async function changeThreadSettings(
	thread: LiveThread,
	change: SettingsChange,
	{ facts, ports, full }: Pick<World, "facts" | "ports" | "full">,
): Promise<{ readonly settings: PartialSettings; readonly cwd: string | undefined }> {
	const state = full.held(thread.state());
	const asksOnly = change.cwd === undefined && Object.keys(change.settings).length === 0;
	if (asksOnly) return { settings: state.settings, cwd: state.cwd };
	if (thread.refusal !== undefined) throw thread.refusal;
	const settings = mergePartialSettings(state.settings, change.settings);
	const model = resolveModel(layerSettings(facts.settings, settings).model, ports.servers);
	if (model instanceof ModelFailure) throw new HostError("settings-refused", model.message);
	await checkCwd(change.cwd, facts);
	const next = { settings, cwd: change.cwd ?? state.cwd };
	const folder = next.cwd === undefined ? {} : { cwd: next.cwd };
	if (state.written) {
		await thread.commit(
			[
				{ kind: "settings", settings, ...folder },
				{ kind: "event", event: { type: "settingsChanged", settings, ...folder } },
			],
			"synced",
		);
	} else thread.configure(next);
	full.note(state.threadId, change.settings);
	return next;
}

/** A thread works below an open folder, in one that is there. */
export async function checkCwd(cwd: string | undefined, { folders }: Pick<Facts, "folders">): Promise<void> {
	if (cwd === undefined) return;
	if (!folders.some((folder) => isInside(cwd, folder)))
		throw new HostError("settings-refused", `${cwd} is not inside an open workspace folder.`);
	if (!(await isFolder(cwd))) throw new HostError("settings-refused", `${cwd} is not a folder.`);
}
