import type { InspectorItem, InspectorState } from "../../media/inspector-wire.ts";

export function anItem(index: number, kind: string, rest: Partial<InspectorItem> = {}): InspectorItem {
	const base = { role: "user", origin: "host", tokens: 100, estimated: true, cached: true, preview: `the ${kind}` };
	return { index, kind, ...base, ...rest };
}

export function aContext(items: readonly InspectorItem[], rest: Partial<InspectorState> = {}): InspectorState {
	return {
		revision: 1,
		model: "fake-1",
		effectiveWindow: 4_000,
		autoCompactLimit: 3_600,
		tokens: items.reduce((sum, { tokens }) => sum + tokens, 0),
		items,
		policy: ["Mode: Read Only.", "Network: off."],
		policyDigest: "0123456789abcdef",
		...rest,
	};
}

/** From what comes with every request to what the next turn would add, where the cache ends. */
export const ITEMS: readonly InspectorItem[] = [
	anItem(0, "instructions", { role: "system", tokens: 900 }),
	anItem(1, "tools", { role: "system", tokens: 700 }),
	anItem(2, "userMessage", { turn: 1, origin: "user" }),
	anItem(3, "toolOutput", { turn: 1, role: "tool", origin: "tool", tokens: 400 }),
	anItem(4, "permissions", { role: "developer", cached: false, tokens: 200 }),
];
