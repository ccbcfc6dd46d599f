import type { Duplex } from "node:stream";
import type { Target } from "./host-name.ts";
import { type HostRule, judgeAddresses, judgeTarget } from "./host-rules.ts";
import type { NetworkPorts } from "./network-ports.ts";

export type Dialled =
	| { readonly kind: "open"; readonly upstream: Duplex; readonly rule: HostRule }
	| { readonly kind: "refused"; readonly reason: string }
	/** Allowed, but the host does not answer. */
	| { readonly kind: "silent" };

/** Connects to a host if the rules allow it: its name is resolved once, and only the checked address is dialled. */
export async function dialChecked(
	{ host, port }: Target,
	rules: readonly HostRule[],
	ports: NetworkPorts,
): Promise<Dialled> {
	const ruling = judgeTarget(rules, { host, port });
	if (ruling.kind === "deny") return { kind: "refused", reason: ruling.reason };
	// A name that cannot be resolved has no address and is refused.
	const found = host.kind === "name" ? await ports.lookup(host.name).catch(() => []) : [withoutBrackets(host.text)];
	const judged = judgeAddresses(rules, found, port, ports.nearby());
	if (judged.kind === "deny") return { kind: "refused", reason: judged.reason };
	for (const address of judged.addresses) {
		const upstream = await ports.dial(address, port).catch(() => undefined);
		if (upstream !== undefined) return { kind: "open", upstream, rule: ruling.rule };
	}
	return { kind: "silent" };
}

function withoutBrackets(text: string): string {
	return text.replace(/^\[|\]$/g, "");
}
