import type { Attachable } from "../../wire.ts";
import type { Attachment } from "../attached/image-limits.ts";

/** A message that waits for its turn. Its id is also the host's name for it, so that it is never said twice. */
export interface Queued {
	readonly id: string;
	readonly text: string;
	/** It was refused once, or has lost something; only the user sends it. */
	readonly held?: true;
	/** What goes along besides images. */
	readonly attached?: readonly Attachable[];
	readonly images?: readonly Attachment[];
	/** Images that were not kept through a reload. */
	readonly lost?: number;
}

/** What waits, by thread. */
export type Queues = Readonly<Record<string, readonly Queued[]>>;

export function withQueue(queues: Queues, key: string, queue: readonly Queued[]): Queues {
	const others = Object.entries(queues).filter(([other]) => other !== key);
	return Object.fromEntries(queue.length === 0 ? others : [...others, [key, queue] as const]);
}

/** The queues without a message, in whichever thread it waits; the same value when it is in none. */
export function withoutQueued(queues: Queues, id: string): Queues {
	const key = Object.keys(queues).find((one) => queues[one]?.some((queued) => queued.id === id));
	if (key === undefined) return queues;
	const kept = (queues[key] ?? []).filter((queued) => queued.id !== id);
	return withQueue(queues, key, kept);
}

/** Keeps a message from going by itself. */
export function holdQueued(queues: Queues, key: string, id: string): Queues {
	const queue = (queues[key] ?? []).map((one) => (one.id === id ? { ...one, held: true as const } : one));
	return withQueue(queues, key, queue);
}

/** Changes places with the neighbour. */
export function moveQueued(queue: readonly Queued[], id: string, direction: "up" | "down"): readonly Queued[] {
	const from = queue.findIndex((queued) => queued.id === id);
	const to = direction === "up" ? from - 1 : from + 1;
	const [moved, other] = [queue[from], queue[to]];
	if (moved === undefined || other === undefined) return queue;
	return queue.with(from, other).with(to, moved);
}

/** What of them survives a reload: images are too much to save with every key, so a message that has some waits for the user then. */
export function savedQueues(queues: Queues): Queues {
	return Object.fromEntries(Object.entries(queues).map(([key, queue]) => [key, queue.map(withoutImages)] as const));
}

function withoutImages({ images = [], ...queued }: Queued): Queued {
	const lost = images.length + (queued.lost ?? 0);
	return lost === 0 ? queued : { ...queued, lost, held: true };
}

/** What was saved, perhaps by another release: anything else is no queue. */
export function readQueues(saved: unknown): Queues {
	const queues = Object.entries(Object(Object(saved).queues) as Readonly<Record<string, unknown>>);
	const read = queues.map(([key, queue]) => [key, Array.isArray(queue) ? queue.flatMap(readQueued) : []] as const);
	return Object.fromEntries(read.filter(([, queue]) => queue.length > 0));
}

function readQueued(value: unknown): readonly Queued[] {
	const { id, text, held, attached, lost } = Object(value) as Partial<Queued>;
	if (typeof id !== "string" || typeof text !== "string") return [];
	const along = Array.isArray(attached) ? attached.filter(isAttachable) : [];
	return [
		{
			id,
			text,
			...(held === true && { held }),
			...(along.length > 0 && { attached: along }),
			...(typeof lost === "number" && { lost }),
		},
	];
}

function isAttachable(value: unknown): value is Attachable {
	const { key, kind, label, title } = Object(value) as Partial<Attachable>;
	return [key, kind, label, title].every((one) => typeof one === "string");
}
