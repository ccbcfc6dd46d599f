import type { Attachable } from "../../wire.ts";
import type { Attachment } from "../attached/image-limits.ts";

/** A queued message. Its id is also the host's id for it, so that it is never sent twice. */
export interface Queued {
	readonly id: string;
	readonly text: string;
	/** Was refused once, or lost an attachment; it is sent only by the user. */
	readonly held?: true;
	/** Attachments besides images. */
	readonly attached?: readonly Attachable[];
	readonly images?: readonly Attachment[];
	/** Number of images that were lost in a reload. */
	readonly lost?: number;
}

/** Queued messages by thread. */
export type Queues = Readonly<Record<string, readonly Queued[]>>;

export function withQueue(queues: Queues, key: string, queue: readonly Queued[]): Queues {
	const others = Object.entries(queues).filter(([other]) => other !== key);
	return Object.fromEntries(queue.length === 0 ? others : [...others, [key, queue] as const]);
}

/** Removes a message from whichever queue contains it; returns the same value if none does. */
export function withoutQueued(queues: Queues, id: string): Queues {
	const key = Object.keys(queues).find((one) => queues[one]?.some((queued) => queued.id === id));
	if (key === undefined) return queues;
	const kept = (queues[key] ?? []).filter((queued) => queued.id !== id);
	return withQueue(queues, key, kept);
}

/** Keeps a message from being sent automatically. */
export function holdQueued(queues: Queues, key: string, id: string): Queues {
	const queue = (queues[key] ?? []).map((one) => (one.id === id ? { ...one, held: true as const } : one));
	return withQueue(queues, key, queue);
}

/** Swaps a message with its neighbour. */
export function moveQueued(queue: readonly Queued[], id: string, direction: "up" | "down"): readonly Queued[] {
	const from = queue.findIndex((queued) => queued.id === id);
	const to = direction === "up" ? from - 1 : from + 1;
	const [moved, other] = [queue[from], queue[to]];
	if (moved === undefined || other === undefined) return queue;
	return queue.with(from, other).with(to, moved);
}

/**
 * The part that survives a reload. Images are too large to save with every key press, so a message with images is then
 * held for the user.
 */
export function savedQueues(queues: Queues): Queues {
	return Object.fromEntries(Object.entries(queues).map(([key, queue]) => [key, queue.map(withoutImages)] as const));
}

/** The same for a page that takes over while the window stays, and gets the images too. */
export function keptQueues(queues: Queues): Queues {
	const strip = ({ images: _, ...queued }: Queued): Queued => queued;
	return Object.fromEntries(Object.entries(queues).map(([key, queue]) => [key, queue.map(strip)] as const));
}

function withoutImages({ images = [], ...queued }: Queued): Queued {
	const lost = images.length + (queued.lost ?? 0);
	return lost === 0 ? queued : { ...queued, lost, held: true };
}

/** Reads the saved queues, perhaps from another release; drops everything that does not fit. */
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

export function isAttachable(value: unknown): value is Attachable {
	const { key, kind, label, title } = Object(value) as Partial<Attachable>;
	return [key, kind, label, title].every((one) => typeof one === "string");
}
