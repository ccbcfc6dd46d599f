/** A message that waits for its turn. Its id is also the host's name for it, so that it is never said twice. */
export interface Queued {
	readonly id: string;
	readonly text: string;
	/** It was refused once; only the user sends it again. */
	readonly held?: true;
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

/** What was saved, perhaps by another release: anything else is no queue. */
export function readQueues(saved: unknown): Queues {
	const queues = Object.entries(Object(Object(saved).queues) as Readonly<Record<string, unknown>>);
	const read = queues.map(([key, queue]) => [key, Array.isArray(queue) ? queue.filter(isQueued) : []] as const);
	return Object.fromEntries(read.filter(([, queue]) => queue.length > 0));
}

function isQueued(value: unknown): value is Queued {
	const { id, text } = Object(value) as Partial<Queued>;
	return typeof id === "string" && typeof text === "string";
}
