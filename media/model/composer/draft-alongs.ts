import type { PageAttached } from "../attached/page-attached.ts";
import type { PageImages } from "../attached/page-images.ts";
import { MAX_DRAFTS } from "./composer-state.ts";
import { type Along, type Alongs, NOTHING } from "./kept-drafts.ts";

/** Attachments stay with their draft, as its text does. Those of the open thread are what the composer shows. */
export class DraftAlongs {
	readonly #images: PageImages["attached"];
	readonly #chosen: PageAttached["chosen"];
	/** What is attached to the drafts of other threads. */
	readonly #elsewhere = new Map<string, Along>();

	constructor(images: Pick<PageImages, "attached">, attached: Pick<PageAttached, "chosen">) {
		this.#images = images.attached;
		this.#chosen = attached.chosen;
	}

	/** All of them, if this is the open thread. */
	collect(open: string): Alongs {
		return new Map([...this.#elsewhere, [open, { images: this.#images.value, attached: this.#chosen.value }]]);
	}

	/** Begins with these. */
	restore(open: string, alongs: Alongs): void {
		this.#elsewhere.clear();
		for (const [key, along] of alongs) if (key !== open) this.#elsewhere.set(key, along);
		this.#show(alongs.get(open));
	}

	move(from: string, to: string): void {
		if (from === to) return;
		const next = this.#elsewhere.get(to);
		this.#elsewhere.delete(to);
		this.#elsewhere.set(from, { images: this.#images.value, attached: this.#chosen.value });
		const [oldest] = this.#elsewhere.keys();
		if (this.#elsewhere.size > MAX_DRAFTS && oldest !== undefined) this.#elsewhere.delete(oldest);
		this.#show(next);
	}

	/** Takes away what went along with a prompt, from the draft of its thread. */
	detach(open: string, key: string, { images, attached }: Along): void {
		const gone = attached.map((one) => one.key);
		const left = key === open ? this.collect(open).get(open) : this.#elsewhere.get(key);
		if (left === undefined) return;
		const rest: Along = {
			images: left.images.filter((image) => !images.includes(image)),
			attached: left.attached.filter((one) => !gone.includes(one.key)),
		};
		if (key === open) this.#show(rest);
		else this.#elsewhere.set(key, rest);
	}

	#show({ images, attached }: Along = NOTHING): void {
		this.#images.value = images;
		this.#chosen.value = attached;
	}
}
