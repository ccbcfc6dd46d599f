import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from "@modelcontextprotocol/server";
import type { ThreadId } from "../../protocol/ids.ts";
import type { PublishedEvent } from "../../protocol/thread/events.ts";
import type { Ask } from "./asks.ts";

/** How long a user can take; then the answer is no. */
const PATIENCE_MS = 600_000;

/** What a client declares under `experimental` to get every event, as notifications `vitrine/event`. */
const EVENTS = "vitrine/events";

/** The client at the other end: how its user is asked depends on the era of the protocol. */
export interface Caller {
	readonly put: (ask: Ask) => void;
	/** The next ask of a thread that a call has to carry to the user; never resolves where asks go on their own. */
	readonly next: (threadId: ThreadId, signal: AbortSignal) => Promise<Ask>;
	/** Whether the user of this call can be asked. */
	readonly canAsk: (context: ServerContext) => boolean;
	/** Sends an event of a thread to a client that wants all of them. */
	readonly tell: (threadId: ThreadId, event: PublishedEvent) => void;
	/** The answer to an ask that an earlier call carried. */
	readonly answer: (id: string, content: unknown) => void;
}

/** Until 2025-11-25, the server asks whenever it wants to. */
export function createPushingCaller(server: Server): Caller {
	const canAsk = () => server.getClientCapabilities()?.elicitation !== undefined;
	return {
		put({ message, form, signal, answer }) {
			if (!canAsk()) return answer(undefined);
			server
				.elicitInput({ message, requestedSchema: toWire(form) }, { timeout: PATIENCE_MS, signal })
				// An answer that cannot be read, or none, is a no.
				.then(({ action, content }) => answer(action === "accept" ? content : undefined))
				.catch(() => answer(undefined));
		},
		next: () => new Promise(() => undefined),
		tell(threadId, event) {
			if (server.getClientCapabilities()?.experimental?.[EVENTS] === undefined) return;
			server.notification({ method: "vitrine/event", params: { threadId, ...event } }).catch(() => undefined);
		},
		canAsk,
		answer: () => undefined,
	};
}

/** Since 2026-07-28, a call that waits ends with the ask, and comes again with the answer. */
export function createCarryingCaller(): Caller {
	const open = new Map<string, Ask>();
	const listeners = new Set<() => void>();
	const find = (threadId: ThreadId) => [...open.values()].find((ask) => ask.threadId === threadId);
	const answer: Caller["answer"] = (id, content) => {
		const ask = open.get(id);
		open.delete(id);
		ask?.answer(content);
	};
	return {
		put(ask) {
			open.set(ask.id, ask);
			const timer = setTimeout(() => answer(ask.id, undefined), PATIENCE_MS).unref();
			// A later call would carry it to the user, although nothing waits for the answer any more.
			ask.signal.addEventListener("abort", () => {
				clearTimeout(timer);
				open.delete(ask.id);
			});
			for (const look of [...listeners]) look();
		},
		next: (threadId, signal) =>
			new Promise((resolve) => {
				const look = (): void => {
					const ask = find(threadId);
					if (ask === undefined) return;
					listeners.delete(look);
					resolve(ask);
				};
				listeners.add(look);
				signal.addEventListener("abort", () => listeners.delete(look), { once: true });
				look();
			}),
		tell: () => undefined,
		canAsk: ({ mcpReq }) => {
			const { [CLIENT_CAPABILITIES_META_KEY]: capabilities } = Object(mcpReq.envelope);
			return Object(capabilities).elicitation !== undefined;
		},
		answer,
	};
}

type WireForm = Parameters<Server["elicitInput"]>[0] extends infer Params
	? Params extends { readonly requestedSchema: infer Schema }
		? Schema
		: never
	: never;

/** The library's type is the same with arrays that can be changed. */
export function toWire(form: Ask["form"]): WireForm {
	return structuredClone(form) as unknown as WireForm;
}
