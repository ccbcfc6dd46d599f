import type { Policy } from "../../agent-host/permissions/policy/policy.ts";
import { NOTHING_CLOSED } from "../../agent-host/permissions/reach/reach.ts";
import { type PolicyPlaces, resolvePolicy } from "../../agent-host/permissions/resolve/resolve-policy.ts";
import { type ApprovalPolicy, PermissionSettings } from "../../agent-host/protocol/settings/policy-settings.ts";

export const PLACES: PolicyPlaces = {
	roots: ["/repo"],
	trusted: true,
	home: "/home/me",
	temp: ["/tmp"],
	own: ["/home/me/.config/vitrine"],
	closed: NOTHING_CLOSED,
	versionControl: [],
};

/** The policy of a small trusted workspace; a test names only what it is about. */
export function aPolicy(
	change: {
		readonly permissions?: Partial<PermissionSettings>;
		readonly approval?: ApprovalPolicy;
		readonly places?: Partial<PolicyPlaces>;
	} = {},
): Policy {
	const settings = PermissionSettings.parse(change.permissions ?? {});
	return resolvePolicy(settings, change.approval ?? "onRequest", { ...PLACES, ...change.places });
}
