import { HostError } from "../protocol/errors.ts";
import { quote } from "../protocol/say.ts";
import { PermissionMode, stricterApproval } from "../protocol/settings/policy-settings.ts";
import type { PartialSettings, Settings, ToolSettings } from "../protocol/settings/settings.ts";

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

/**
 * Returns the settings as they apply under the user's own, if a caller may set all of them; otherwise throws with the
 * reason.
 */
export function boundSettings(
	asked: PartialSettings,
	user: Pick<Settings, "permissions" | "approval" | "tools">,
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
	const freer = listFreerTools(asked.tools ?? {}, user.tools);
	if (freer.length > 0) throw refuse(`Only the user can allow more than now in ${freer.join(", ")}.`);
	const closed = asked.permissions?.denyRead;
	if (closed === undefined) return asked;
	// A list in a later layer replaces the one before it: what the user closed would be open.
	const denyRead = [...new Set([...user.permissions.denyRead, ...closed])];
	return { ...asked, permissions: { ...asked.permissions, denyRead } };
}

/** Tools that the user has switched off, and more levels of sub-agents, which spend more. */
function listFreerTools(asked: Partial<ToolSettings>, user: ToolSettings): readonly string[] {
	const isFreer = {
		plan: asked.plan === true && !user.plan,
		applyPatch: asked.applyPatch === true && !user.applyPatch,
		agentDepth: (asked.agentDepth ?? 0) > user.agentDepth,
	};
	return Object.entries(isFreer).flatMap(([name, is]) => (is ? [`tools.${name}`] : []));
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
