import { HostError } from "../protocol/errors.ts";
import { quote } from "../protocol/say.ts";
import { PermissionMode, stricterApproval } from "../protocol/settings/policy-settings.ts";
import type { PartialSettings, Settings } from "../protocol/settings/settings.ts";

/**
 * What a program that calls Vitrine may set, by group. Not the server of the model, which gets the user's key, and nothing
 * that lets a thread reach, write or spend more.
 */
const MAY_SET: Partial<Record<keyof PartialSettings, readonly string[] | "all">> = {
	model: ["id", "reasoningEffort", "reasoningSummary", "verbosity", "serviceTier"],
	permissions: ["mode", "denyRead"],
	approval: "all",
	compaction: "all",
	modes: "all",
	instructions: "all",
	tools: "all",
};

/** Returns the settings if a caller may set all of them under the user's own; otherwise throws with the reason. */
export function boundSettings(
	asked: PartialSettings,
	user: Pick<Settings, "permissions" | "approval">,
): PartialSettings {
	const forbidden = listForbidden(asked);
	if (forbidden.length > 0) {
		throw refuse(`Only the user can set ${forbidden.join(", ")}: with options or --settings when starting Vitrine.`);
	}
	const mode = asked.permissions?.mode;
	if (mode !== undefined && !listModes(user).includes(mode)) {
		throw refuse(`The permission mode cannot be ${mode} here: the user allows at most ${listModes(user).at(-1)}.`);
	}
	const { approval } = asked;
	if (approval !== undefined && stricterApproval(user.approval, approval) !== approval) {
		throw refuse(`The approval policy cannot be ${approval} here: the user has set it to ${user.approval}.`);
	}
	return asked;
}

/** The modes that a caller can choose, from strict to free; never full access. */
export function listModes({ permissions }: Pick<Settings, "permissions">): readonly PermissionMode[] {
	const order: readonly PermissionMode[] = PermissionMode.options.filter((mode) => mode !== "full");
	const most = order.indexOf(permissions.mode);
	return most === -1 ? order : order.slice(0, most + 1);
}

function listForbidden(asked: PartialSettings): readonly string[] {
	return Object.entries(asked).flatMap(([group, value]) => {
		const keys = MAY_SET[group as keyof PartialSettings];
		if (keys === "all" || value === undefined) return [];
		if (keys === undefined || typeof value !== "object") return [group];
		return Object.keys(value).flatMap((key) => (keys.includes(key) ? [] : [`${group}.${key}`]));
	});
}

function refuse(sentence: string): HostError {
	return new HostError("settings-refused", quote(sentence));
}
