import { NotDrawn } from "./graph.ts";
import { readLabel } from "./label.ts";

export interface Sequence {
	readonly actors: readonly { readonly id: string; readonly label: string }[];
	readonly events: readonly SequenceEvent[];
}

export type SequenceEvent =
	| {
			readonly kind: "message";
			readonly from: string;
			readonly to: string;
			readonly label: string;
			readonly line: "solid" | "dotted";
			readonly head: boolean;
	  }
	| {
			readonly kind: "note";
			readonly over: readonly string[];
			readonly side: "left" | "right" | "over";
			readonly label: string;
	  }
	/** A frame begins, has another part, or ends. */
	| { readonly kind: "open" | "part"; readonly label: string }
	| { readonly kind: "close" };

const MAX_ACTORS = 12;
const MAX_EVENTS = 100;

const ACTOR = /^(?:create +)?(?:participant|actor) +([\p{L}\p{N}_.-]+)(?: +as +(.+))?$/u;
const MESSAGE =
	/^([\p{L}\p{N}_.]+(?: [\p{L}\p{N}_.]+)*) *(-{1,2})(>>|>|x|\)) *[+-]? *([\p{L}\p{N}_.]+(?: [\p{L}\p{N}_.]+)*) *:(.*)$/u;
const NOTE = /^note (left of|right of|over) ([^:,]+)(?:,([^:,]+))?:(.*)$/i;
const OPEN = /^(loop|alt|opt|par|critical|break)\b(.*)$/;
const PART = /^(?:else|and|option)\b(.*)$/;
/** Who is busy and what is counted is not drawn; it takes nothing away from what is said. */
const IGNORED = /^(?:autonumber|activate|deactivate|destroy|title|accTitle|accDescr|link|links)\b/;

export function readSequence(lines: readonly string[]): Sequence {
	const reader = new Reader();
	for (const line of lines.slice(1)) reader.read(line);
	return reader.end();
}

class Reader {
	readonly #actors = new Map<string, string>();
	readonly #events: SequenceEvent[] = [];
	#depth = 0;

	read(line: string): void {
		const [, actor, as] = ACTOR.exec(line) ?? [];
		if (actor !== undefined) this.#actor(actor, as);
		else if (!IGNORED.test(line)) this.#add(this.#readEvent(line));
		if (this.#actors.size > MAX_ACTORS || this.#events.length > MAX_EVENTS) throw new NotDrawn("too much");
	}

	end(): Sequence {
		if (this.#depth !== 0 || this.#actors.size === 0) throw new NotDrawn("not a sequence");
		return { actors: [...this.#actors].map(([id, label]) => ({ id, label })), events: this.#events };
	}

	#readEvent(line: string): SequenceEvent {
		if (line === "end") return { kind: "close" };
		const [, word, condition = ""] = OPEN.exec(line) ?? [];
		if (word !== undefined) return { kind: "open", label: readLabel(`${word} ${condition.trim()}`) };
		const [isPart, part = ""] = PART.exec(line) ?? [];
		if (isPart !== undefined) return { kind: "part", label: readLabel(part) };
		const [, place, first, second, note] = NOTE.exec(line) ?? [];
		if (place !== undefined && first !== undefined) {
			const over = [first, second].flatMap((one) => (one === undefined ? [] : [this.#actor(one.trim())]));
			const side = place.startsWith("left") ? "left" : place.startsWith("right") ? "right" : "over";
			return { kind: "note", over, side, label: readLabel(note ?? "") };
		}
		const [, from, dashes, head, to, label = ""] = MESSAGE.exec(line) ?? [];
		if (from === undefined || to === undefined) throw new NotDrawn("not a message");
		return {
			...{ kind: "message", from: this.#actor(from), to: this.#actor(to), label: readLabel(label) },
			...{ line: dashes === "--" ? "dotted" : "solid", head: head !== ">" },
		};
	}

	#actor(id: string, label?: string): string {
		if (label !== undefined || !this.#actors.has(id)) this.#actors.set(id, label === undefined ? id : readLabel(label));
		return id;
	}

	#add(event: SequenceEvent): void {
		if (event.kind === "open") this.#depth += 1;
		if (event.kind === "close") this.#depth -= 1;
		if (this.#depth < 0 || (event.kind === "part" && this.#depth === 0)) throw new NotDrawn("nothing is open");
		this.#events.push(event);
	}
}
