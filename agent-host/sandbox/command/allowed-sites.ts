import { type HostRule, parseRules } from "../../network/host-rules.ts";

/** The rules of a policy's list of sites, or why no command runs with it. */
export function readAllowedSites(
	hosts: readonly string[],
): { readonly rules: readonly HostRule[] } | { readonly refusal: string } {
	const rules = parseRules(hosts);
	if (!("unreadable" in rules)) return { rules };
	return {
		refusal: `The list of allowed sites has an invalid entry, so commands can't run: ${rules.unreadable}. Use host, host:port, *.host, or * for all public sites; a leading ! blocks a host.`,
	};
}
