import type * as vscode from "vscode";
import { PLAN_PLACE } from "../../agent-host/protocol/host/server-sign-in.ts";
import type { Keys, Stored } from "./keys.ts";

/** What sign-ins leave, in the editor's secret storage, by the server's whole address. */
export interface ServerCredentials {
	readonly get: (place: string) => Promise<string | undefined>;
	/** Without a value it is removed. */
	readonly keep: (place: string, value: string | undefined) => Promise<void>;
}

export function createServerCredentials(
	secrets: Pick<vscode.SecretStorage, "get" | "store" | "delete">,
	/** A sign-in with a plan is listed beside the keys, because it is used in place of one. */
	keys: Pick<Keys, "get" | "set" | "remove">,
): ServerCredentials {
	const nameOf = (place: string): string => `vitrine.serverCredentials:${place}`;
	return {
		get: async (place) => {
			const plan = readPlan(place);
			return plan === undefined ? secrets.get(nameOf(place)) : (await keys.get(plan))?.value;
		},
		keep: async (place, value) => {
			const plan = readPlan(place);
			if (plan !== undefined) await (value === undefined ? keys.remove(plan) : keys.set(plan, { value }));
			else if (value === undefined) await secrets.delete(nameOf(place));
			else await secrets.store(nameOf(place), value);
		},
	};
}

function readPlan(place: string): Stored | undefined {
	return place.startsWith(PLAN_PLACE) ? { kind: "token", origin: place.slice(PLAN_PLACE.length) } : undefined;
}
