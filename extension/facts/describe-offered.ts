import type {
	ApprovalPolicy,
	NetworkMode,
	PermissionMode,
} from "../../agent-host/protocol/settings/policy-settings.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { type Message, t } from "../../l10n/t.ts";

/** Display names of permission modes, used everywhere. */
export const MODE_NAMES: Readonly<Record<PermissionMode, Message>> = {
	readOnly: "Read Only",
	ask: "Ask First",
	workspaceWrite: "Workspace",
	full: "Full Access",
};
export const NETWORK_NAMES: Readonly<Record<NetworkMode, Message>> = {
	off: "Network Off",
	allowList: "Allowed Sites",
	on: "Network On",
};
export const APPROVAL_NAMES: Readonly<Record<ApprovalPolicy, Message>> = {
	untrusted: "Always Ask",
	onRequest: "Ask When Needed",
	never: "Never Ask",
};

/** Short description of the settings offered to a thread; empty if there are none. */
export function describeOffered({ model = {}, permissions = {}, approval }: PartialSettings): string {
	const { mode, network, writableRoots } = permissions;
	const name = model.provider === "demo" ? t("Demo model") : model.id;
	return [
		name,
		model.reasoningEffort,
		mode && t(MODE_NAMES[mode]),
		network && t(NETWORK_NAMES[network]),
		approval && t(APPROVAL_NAMES[approval]),
		writableRoots?.join(", "),
	]
		.filter(Boolean)
		.join(", ");
}
