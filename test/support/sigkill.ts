import { createGate, type Gate } from "./fake-model-gate.ts";
import type { RecordedRequest } from "./fake-model-request.ts";
import { calls, type Part, type Reply, says, thinks, together } from "./fake-model-steps.ts";

/** When in a turn of two steps, calls and then text, its host is killed. */
export type KillMoment =
	/** The model has sent this piece of this step and waits. */
	| { readonly kind: "piece"; readonly step: number; readonly piece: number }
	/** The model's connection breaks after so many bytes of this step. */
	| { readonly kind: "bytes"; readonly step: number; readonly bytes: number }
	/** The client has received so many events of the turn. */
	| { readonly kind: "event"; readonly count: number }
	/** So long after `turn/start` was sent. */
	| { readonly kind: "time"; readonly microseconds: number };

/** A model that plays one turn up to the moment it was given. */
export interface DoomedScript {
	readonly answer: (request: RecordedRequest) => Reply;
	/** Resolves at the moment, when it is one the model knows of. */
	readonly reached: Promise<void>;
}

/** What the model says in the second step of a turn that is to be cut off. */
export const LAST_WORDS = "It greets people, all of them, every day, and asks for nothing in return.";

const MOST_EVENTS = 26;
const MOST_BYTES = 6_000;
const MOST_MICROSECONDS = 60_000;

export function chooseMoment(random: () => number): KillMoment {
	const upTo = (most: number) => Math.floor(random() * most);
	const step = upTo(2);
	switch (upTo(4)) {
		case 0:
			return { kind: "piece", step, piece: upTo(36) };
		case 1:
			return { kind: "bytes", step, bytes: upTo(MOST_BYTES) };
		case 2:
			return { kind: "event", count: 1 + upTo(MOST_EVENTS) };
		default:
			return { kind: "time", microseconds: upTo(MOST_MICROSECONDS) };
	}
}

export function createDoomedScript(moment: KillMoment): DoomedScript {
	const gate = createGate();
	const reached = Promise.withResolvers<void>();
	let asked = 0;
	if (moment.kind === "piece") gate.reached.then(reached.resolve, reached.reject);
	return {
		reached: reached.promise,
		answer(request) {
			const step = asked;
			asked += 1;
			const reply = step === 0 ? callsEveryTool() : says(LAST_WORDS, { chunk: 2 });
			if (moment.kind === "bytes" && moment.step === step) {
				request.closed.then(reached.resolve, reached.reject);
				return { ...reply, ending: { kind: "cut", bytes: moment.bytes } };
			}
			return moment.kind === "piece" && moment.step === step ? holdAt(reply, moment.piece, gate) : reply;
		},
	};
}

/** Waits to the microsecond, as far as the event loop turns fast enough. */
export async function passMicroseconds(microseconds: number): Promise<void> {
	const end = performance.now() + microseconds / 1_000;
	while (performance.now() < end) await new Promise(setImmediate);
}

/** The reply with a gate before its `place`-th piece, or at its end when it has fewer. */
function holdAt(reply: Reply, place: number, gate: Gate): Reply {
	let left = place;
	let isHeld = false;
	const parts = reply.parts.map((part, index): Part => {
		const isLast = index === reply.parts.length - 1;
		if (isHeld || (left > part.pieces.length && !isLast)) {
			left -= part.pieces.length;
			return part;
		}
		isHeld = true;
		return { ...part, pieces: part.pieces.toSpliced(left, 0, gate) };
	});
	return { ...reply, parts };
}

function callsEveryTool(): Reply {
	return together(
		thinks("I should look first."),
		calls("read_file", { path: "README.md" }),
		calls("search_files", { pattern: "greet" }),
		calls("list_files", { path: "src" }),
	);
}
