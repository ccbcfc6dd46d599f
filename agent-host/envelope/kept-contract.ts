import {
	type ModelSettings,
	mergePartialSettings,
	mergeSettings,
	type PartialSettings,
	type Settings,
} from "../protocol/settings/settings.ts";
import type { TurnEnvelope } from "./envelope.ts";
import { RIGHTS } from "./rights.ts";

/** What a thread takes from the client's settings with its first turn and then keeps: its model, and what it may do. */
export type Held = Pick<PartialSettings, "model" | "permissions" | "approval">;

/** What binds the next turn of a thread, beside the overrides of that turn. */
export interface Contract {
	/** The client's settings, with what the thread holds and what the user chose for it laid over them. */
	readonly settings: PartialSettings;
	/** Both parts as they have to be recorded when a turn runs under this contract. */
	readonly held: Held;
	readonly own: PartialSettings;
	/** What the client's settings say now and the thread has not taken: another model, or wider rights. */
	readonly offered: Held;
}

/**
 * The contract of a thread's next turn. What became stricter in the client's settings since the thread took hold of them applies at
 * once, also to what the user chose for this thread before that. What became wider, and another model, are only offered.
 */
export function contractFor(client: PartialSettings, held: Held | undefined, own: PartialSettings): Contract {
	const now = heldFrom(mergeSettings(client));
	if (held === undefined) return { settings: mergePartialSettings(client, own), held: now, own, offered: {} };
	const followed = RIGHTS.map((follow) => follow({ held, now, own }));
	const model = heldModel(held.model, now.model ?? {});
	const kept = mergePartialSettings({ model }, ...followed.map((right) => right.held));
	const narrowed = mergePartialSettings(own, ...followed.map((right) => right.own));
	const settings = mergePartialSettings(withoutHeld(client), kept, narrowed);
	const offered = mergePartialSettings(offeredModel(held, now, settings), ...followed.map((right) => right.offered));
	return { settings, held: kept, own: narrowed, offered };
}

/** The contract after the user chose something for this thread: what the settings say today of the same things is taken as known. */
export function chooseIn(
	contract: Contract,
	change: PartialSettings,
	client: PartialSettings,
): Omit<Contract, "offered"> {
	const now = heldFrom(mergeSettings(client));
	const isModelChosen = change.model !== undefined;
	// A model is chosen whole: its name means nothing at another server.
	const whole = isModelChosen ? { model: heldFrom(mergeSettings(contract.settings)).model } : {};
	const own = mergePartialSettings(contract.own, whole, change);
	const known: Held = {
		...(isModelChosen && { model: now.model }),
		permissions: pick(now.permissions ?? {}, Object.keys(change.permissions ?? {})),
		...(change.approval !== undefined && { approval: now.approval }),
	};
	const held = { ...mergePartialSettings(contract.held, known), ...(isModelChosen && { model: now.model }) };
	return { settings: mergePartialSettings(contract.settings, whole, change), held, own };
}

/** What of the client's settings a thread holds on to. */
export function heldFrom({ model, permissions, approval }: Settings): Held {
	const { mode, network, writableRoots } = permissions;
	return { model: pick(model, MODEL_KEYS), permissions: { mode, network, writableRoots }, approval };
}

/** The same from the envelope of a thread's last turn, for threads whose records do not say what they hold. */
export function heldFromEnvelope({ identity, policy }: Pick<TurnEnvelope, "identity" | "policy">): Held {
	const { provider, wire, auth, model, request } = identity;
	// Only a compatible server has an address of its own, and the demo model no name.
	const baseUrl = provider === "compatible" ? (identity.baseUrl ?? "") : "";
	const id = provider === "demo" ? "" : model;
	const { approval, plan } = policy.value;
	// Plan mode narrows what the user has chosen, for as long as it lasts.
	const mode = plan?.mode ?? policy.value.mode;
	const network = plan?.network ?? policy.value.network.kind;
	return {
		model: { provider, wire, auth, baseUrl, id, ...pick(request, ["reasoningEffort"]) },
		permissions: { mode, network: network === "allow" ? "allowList" : network },
		approval,
	};
}

const PLACE_KEYS = ["provider", "wire", "auth", "baseUrl", "id"] as const;
const MODEL_KEYS = [...PLACE_KEYS, "contextWindow", "reasoningEffort"] as const;

/** The model that the thread goes on with. What the settings say of that very model, such as its window, counts as they say it now. */
function heldModel(held: Partial<ModelSettings> | undefined, now: Partial<ModelSettings>): Partial<ModelSettings> {
	if (held === undefined) return now;
	const moved = hasMoved(held, now) ? { ...held, ...pick(now, ["baseUrl"]) } : held;
	const { reasoningEffort: _, ...rest } = isSameModel(moved, now) ? now : moved;
	return { ...rest, ...pick(held, ["reasoningEffort"]) };
}

/** A server of this machine that listens on another port now is still the same one. */
function hasMoved(held: Partial<ModelSettings>, now: Partial<ModelSettings>): boolean {
	return held.provider === now.provider && held.wire === now.wire && isLocal(held.baseUrl) && isLocal(now.baseUrl);
}

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"];

function isLocal(baseUrl: string | undefined): boolean {
	return baseUrl !== undefined && URL.canParse(baseUrl) && LOCAL_HOSTS.includes(new URL(baseUrl).hostname);
}

function isSameModel(one: Partial<ModelSettings>, other: Partial<ModelSettings>): boolean {
	return PLACE_KEYS.every((key) => one[key] === other[key]);
}

function offeredModel(held: Held, now: Held, inForce: PartialSettings): PartialSettings {
	const [before, wanted, model] = [held.model, now.model ?? {}, inForce.model ?? {}];
	if (before === undefined) return {};
	const isOther = !isSameModel(wanted, before) && !isSameModel(wanted, model);
	const isOtherEffort =
		wanted.reasoningEffort !== undefined &&
		wanted.reasoningEffort !== before.reasoningEffort &&
		wanted.reasoningEffort !== model.reasoningEffort;
	return isOther ? { model: wanted } : isOtherEffort ? { model: pick(wanted, ["reasoningEffort"]) } : {};
}

/** The client's settings without what a thread holds for itself. */
function withoutHeld({ model = {}, permissions = {}, approval: _, ...rest }: PartialSettings): PartialSettings {
	return {
		...rest,
		model: omit(model, MODEL_KEYS),
		permissions: omit(permissions, ["mode", "network", "writableRoots"]),
	};
}

function pick<T extends object, K extends keyof T>(from: T, keys: readonly (K | string)[]): Pick<T, K> {
	const kept = Object.entries(from).filter(([key, value]) => keys.includes(key) && value !== undefined);
	// Only keys of T that were named are left.
	return Object.fromEntries(kept) as Pick<T, K>;
}

function omit<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Omit<T, K> {
	const kept = Object.entries(from).filter(([key]) => !keys.some((dropped) => dropped === key));
	// Everything but the named keys is left.
	return Object.fromEntries(kept) as Omit<T, K>;
}
