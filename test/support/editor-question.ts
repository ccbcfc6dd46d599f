import type { Frame, Locator } from "playwright-core";
import type { ApprovalDecision } from "../../agent-host/protocol/approval/approval.ts";
import { GUARD_MS } from "../../media/model/approval/press-guard.ts";
import { until } from "./editor-until.ts";

// A button that is pressed may go before the press has ended; the next look tells what came of it.
const PRESS_MS = 3_000;

/** A question of the chat. It is answered when the thread says so. */
export class EditorQuestion {
	readonly #card: Locator;
	readonly #isAnswered: () => Promise<boolean>;

	private constructor(card: Locator, isAnswered: () => Promise<boolean>) {
		this.#card = card;
		this.#isAnswered = isAnswered;
	}

	/** `waiting` gives the name of the question that waits, as recorded. */
	static async find(frame: Frame, waiting: () => Promise<string | undefined>): Promise<EditorQuestion> {
		const id = await until("a question waits", waiting);
		return new EditorQuestion(frame.locator(`[data-approval="${id}"]`), async () => (await waiting()) !== id);
	}

	/** What it shows, as far as it is drawn. */
	async text(): Promise<string> {
		await this.#card.waitFor();
		return this.#card.innerText();
	}

	async decide(decision: ApprovalDecision): Promise<void> {
		await this.#card.evaluate(readThrough);
		await press(this.#card.locator(`[data-decision=${decision}]`), this.#isAnswered);
	}

	/** Refuses what is asked, with words for the model. */
	async denyWith(note: string): Promise<void> {
		const field = this.#card.getByLabel("Note for the model");
		await press(this.#card.getByText("Deny and explain…"), () => field.isVisible());
		await field.fill(note);
		await press(this.#card.getByRole("button", { name: "Deny with explanation" }), this.#isAnswered);
	}
}

/**
 * Presses a button of a question until that has counted, as a person does: it does not while the question has only just
 * come to stand where it stands.
 */
async function press(button: Locator, hasCounted: () => Promise<boolean>): Promise<void> {
	await button.waitFor();
	await until(`a press of ${button} counts`, async () => {
		if (await hasCounted()) return true;
		await button.evaluate(standStill, GUARD_MS, { timeout: PRESS_MS }).catch(() => undefined);
		if (!(await hasCounted())) await button.click({ timeout: PRESS_MS }).catch(() => undefined);
		return hasCounted();
	});
}

/** Brings every line of a question into view, as a person who reads it does: nothing else can be allowed. */
async function readThrough(card: Element): Promise<void> {
	const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
	for (const part of [card.closest(".dock"), card.closest(".approvals"), card.querySelector(".long-part")]) {
		card.scrollIntoView({ block: "start" });
		for (let last = -1; part && last !== part.scrollTop; await nextFrame()) {
			last = part.scrollTop;
			part.scrollTop += 30;
		}
	}
}

/** Settles when an element has stood in the same place for so long. */
function standStill(element: Element, milliseconds: number): Promise<void> {
	return new Promise((resolve) => {
		let place = "";
		let since = 0;
		const look = (now: number): void => {
			const { x, y, width } = element.getBoundingClientRect();
			const seen = [x, y, width].join(" ");
			if (seen !== place) since = now;
			place = seen;
			if (now - since > milliseconds) resolve();
			else requestAnimationFrame(look);
		};
		requestAnimationFrame(look);
	});
}
