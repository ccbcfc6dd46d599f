import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { AsideAnswer, FromWebview, ToWebview } from "../wire.ts";

/** A side question and what became of it. */
export interface AsideCard {
	readonly id: string;
	readonly question: string;
	readonly answer?: AsideAnswer;
	readonly problem?: string;
}

interface AsidePorts {
	readonly post: (message: FromWebview) => void;
	readonly newId: () => string;
	/** Takes a question that was not answered, to be asked again. */
	readonly giveBack: (question: string) => void;
}

/** The side question in sight: one at a time, kept nowhere, gone when it is dismissed. */
export class PageAside {
	readonly card: ReadonlySignal<AsideCard | undefined>;
	readonly #card: Signal<AsideCard | undefined> = signal(undefined);
	readonly #post: (message: FromWebview) => void;
	readonly #newId: () => string;
	readonly #giveBack: (question: string) => void;

	constructor({ post, newId, giveBack }: AsidePorts) {
		this.card = this.#card;
		this.#post = post;
		this.#newId = newId;
		this.#giveBack = giveBack;
	}

	/** Replaces the card; a question that was not answered yet is given up. */
	ask(question: string): void {
		this.dismiss();
		const id = this.#newId();
		this.#card.value = { id, question };
		this.#post({ type: "askAside", id, text: question });
	}

	receive({ id, answer, problem }: Extract<ToWebview, { readonly type: "aside" }>): void {
		const card = this.#card.value;
		if (card?.id !== id) return;
		this.#card.value = { ...card, ...(answer && { answer }), ...(problem !== undefined && { problem }) };
		if (problem !== undefined) this.#giveBack(card.question);
	}

	dismiss(): void {
		const card = this.#card.value;
		if (card === undefined) return;
		this.#card.value = undefined;
		if (card.answer === undefined && card.problem === undefined) this.#post({ type: "stopAside", id: card.id });
	}
}
