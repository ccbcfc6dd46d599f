import {
	type ModelSettings,
	mergePartialSettings,
	mergeSettings,
	type PartialSettings,
	type Settings,
} from "../protocol/settings/settings.ts";
import type { TurnEnvelope } from "./envelope.ts";
import { RIGHTS } from "./rights.ts";

/** Settings that a thread takes from the client at its first turn and then keeps: its model and its permissions. */
export type Held = Pick<PartialSettings, "model" | "permissions" | "approval">;

/** The settings of a thread's next turn, apart from that turn's overrides. */
export interface Contract {
	/** The client's settings, overlaid with what the thread holds and what the user chose for it. */
	readonly settings: PartialSettings;
	/** Both parts, as recorded when a turn runs under this contract. */
	readonly held: Held;
	readonly own: PartialSettings;
	/** Client settings that the thread has not adopted: another model, or wider permissions. */
	readonly offered: Held;
}

/**
 * The contract of a thread's next turn. Settings that became stricter apply at once, also to earlier choices of the
 * user for this thread. Wider settings and another model are only offered. As a ceiling, the client's settings are the
 * most that a thread may have, whatever was chosen for it elsewhere.
 */
export function contractFor(
	client: PartialSettings,
	recorded: Held | undefined,
	own: PartialSettings,
	isCeiling = false,
): Contract {
	const now = heldFrom(mergeSettings(client));
	const held = recorded ?? (isCeiling ? now : undefined);
	if (held === undefined) return { settings: mergePartialSettings(client, own), held: now, own, offered: {} };
	const followed = RIGHTS.map((follow) => follow({ held, now, own, isCeiling }));
	const model = heldModel(held.model, now.model ?? {});
	const kept = mergePartialSettings({ model }, ...followed.map((right) => right.held));
	const narrowed = mergePartialSettings(own, ...followed.map((right) => right.own));
	const settings = mergePartialSettings(withoutHeld(client), kept, narrowed);
	const offered = mergePartialSettings(offeredModel(held, now, settings), ...followed.map((right) => right.offered));
	return { settings, held: kept, own: narrowed, offered };
}

/**
 * The contract after the user chose something for this thread. The client's current settings for the same things count
 * as seen.
 */
export function chooseIn(
	contract: Contract,
	change: PartialSettings,
	client: PartialSettings,
): Omit<Contract, "offered"> {
	const now = heldFrom(mergeSettings(client));
	const isModelChosen = change.model !== undefined;
	// A model is chosen as a whole: its name is meaningless at another server.
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

/** The part of the client's settings that a thread holds. */
export function heldFrom({ model, permissions, approval }: Settings): Held {
	const { mode, network, writableRoots } = permissions;
	return { model: pick(model, MODEL_KEYS), permissions: { mode, network, writableRoots }, approval };
}

/** The same from the envelope of a thread's last turn, for threads whose records lack it. */
export function heldFromEnvelope({ identity, policy }: Pick<TurnEnvelope, "identity" | "policy">): Held {
	const { provider, wire, auth, model, request } = identity;
	// Only a compatible server has its own address, and the demo model has no name.
	const baseUrl = provider === "compatible" ? (identity.baseUrl ?? "") : "";
	const id = provider === "demo" ? "" : model;
	const { approval, plan } = policy.value;
	// Plan mode narrows the user's choice while it is on.
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

/** The thread's model. Other settings of the same model, such as its window, are taken from the current settings. */
function heldModel(held: Partial<ModelSettings> | undefined, now: Partial<ModelSettings>): Partial<ModelSettings> {
	if (held === undefined) return now;
	const moved = hasMoved(held, now) ? { ...held, ...pick(now, ["baseUrl"]) } : held;
	const { reasoningEffort: _, ...rest } = isSameModel(moved, now) ? now : moved;
	return { ...rest, ...pick(held, ["reasoningEffort"]) };
}

/** A local server that now listens on another port is still the same server. */
function hasMoved(held: Partial<ModelSettings>, now: Partial<ModelSettings>): boolean {
	return held.provider === now.provider && held.wire === now.wire && isLocal(held.baseUrl) && isLocal(now.baseUrl);
}

const LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]", "0.0.0.0", "[::]"];

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

/** The client's settings without the part that a thread holds. */
function withoutHeld({ model = {}, permissions = {}, approval: _, ...rest }: PartialSettings): PartialSettings {
	return {
		...rest,
		model: omit(model, MODEL_KEYS),
		permissions: omit(permissions, ["mode", "network", "writableRoots"]),
	};
}

function pick<T extends object, K extends keyof T>(from: T, keys: readonly (K | string)[]): Pick<T, K> {
	const kept = Object.entries(from).filter(([key, value]) => keys.includes(key) && value !== undefined);
	// Only the named keys of T remain.
	return Object.fromEntries(kept) as Pick<T, K>;
}

function omit<T extends object, K extends keyof T>(from: T, keys: readonly K[]): Omit<T, K> {
	const kept = Object.entries(from).filter(([key]) => !keys.some((dropped) => dropped === key));
	// Everything but the named keys remains.
	return Object.fromEntries(kept) as Omit<T, K>;
}
