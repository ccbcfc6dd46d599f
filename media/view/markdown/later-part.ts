import { signal } from "@preact/signals";

/** A part of the page that is read when something first needs it; until then, and if it cannot be read, there is none. */
export class LaterPart<T> {
	readonly #part = signal<T | undefined>(undefined);
	readonly #read: () => Promise<T>;
	#isAsked = false;

	constructor(read: () => Promise<T>) {
		this.#read = read;
	}

	/** Whatever is drawn with it is drawn again once it has come. */
	get value(): T | undefined {
		if (!this.#isAsked) {
			this.#isAsked = true;
			this.#read().then(
				(part) => {
					this.#part.value = part;
				},
				() => undefined,
			);
		}
		return this.#part.value;
	}
}
