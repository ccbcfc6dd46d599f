import type { Frame, Locator } from "playwright-core";
import { EditorQuestion } from "./editor-question.ts";
import { promptIn, type ThreadRecords } from "./editor-records.ts";
import { until } from "./editor-until.ts";

export type RowKind =
	| "userMessage"
	| "rolledBack"
	| "agentMessage"
	| "reasoning"
	| "toolCall"
	| "notice"
	| "question"
	| "warning"
	| "turnSummary"
	| "goal"
	| "turnEnd";
export type Banner = "restricted" | "noFolder" | "hostStopped" | "limit" | "demo" | "model" | "offered" | "problem";

/**
 * The chat's page, by the attributes that it keeps stable for tests. What a turn does is waited for in the records of the
 * thread first, then until the page has drawn it: a row alone may have come and gone.
 */
export class EditorChat {
	readonly frame: Frame;
	readonly #records: ThreadRecords;

	constructor(frame: Frame, records: ThreadRecords) {
		this.frame = frame;
		this.#records = records;
	}

	get composer(): Locator {
		return this.frame.locator("#composer");
	}

	get send(): Locator {
		return this.frame.locator("#send");
	}

	get stop(): Locator {
		return this.frame.locator("#stop");
	}

	get transcript(): Locator {
		return this.frame.locator("#transcript");
	}

	/** Present while a turn runs. */
	get running(): Locator {
		return this.frame.locator('[data-running="true"]').first();
	}

	get retry(): Locator {
		return this.frame.locator('[data-action="retry"]').last();
	}

	rows(kind: RowKind): Locator {
		return this.transcript.locator(`[data-row][data-kind="${kind}"]`);
	}

	banner(name: Banner): Locator {
		return this.frame.locator(`[data-banner="${name}"]`);
	}

	get welcome(): Locator {
		return this.frame.locator("#welcome-title");
	}

	/** What the chat says below the prompt that the next turn uses. */
	chip(name: "folder" | "model" | "permissions"): Locator {
		return this.frame.locator(`[data-chip="${name}"]`);
	}

	/** The thread that the page shows, empty for one that has not begun. */
	async threadId(): Promise<string> {
		return (await this.frame.locator("main").getAttribute("data-thread")) ?? "";
	}

	/** The texts of all prompts of the thread, in sight or not. */
	async prompts(): Promise<readonly string[]> {
		return this.#records.promptsOf(await this.threadId());
	}

	/** How many prompts with these words a reader finds from the first row on, in a thread of a few. */
	async timesShown(words: string): Promise<number> {
		return this.transcript.evaluate(async (list, sought) => {
			const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
			list.scrollTo(0, 0);
			await drawn();
			const found = [...list.querySelectorAll('[data-kind="userMessage"]')].filter(({ textContent }) =>
				textContent.includes(sought),
			);
			list.scrollTo(0, list.scrollHeight);
			await drawn();
			return found.length;
		}, words);
	}

	/** The composer has the keys. */
	async isFocused(): Promise<boolean> {
		return this.frame.evaluate(() => document.hasFocus() && document.activeElement?.id === "composer");
	}

	/** Waits until what has opened the chat has given it the focus: later it would be taken from whatever comes next. */
	async waitForFocus(): Promise<void> {
		await until("the composer has the focus", () => this.isFocused());
	}

	/** Types a prompt, sends it with the button and waits until the thread holds it. */
	async ask(text: string): Promise<void> {
		const thread = await this.threadId();
		const before = this.#records.lastOf(thread);
		// What closed just before, such as a list or a comment, may take the focus, and with it what is typed.
		await until("the composer holds the prompt", async () => {
			await this.composer.fill(text);
			return (await this.composer.inputValue()) === text;
		});
		await this.send.click();
		await until(`the thread holds the prompt ${JSON.stringify(text.slice(0, 60))}`, async () => {
			const now = await this.threadId();
			const first = now === thread ? before : 0;
			return this.#records.eventsOf(now).some(({ seq, event }) => seq > first && promptIn(event) === text.trim());
		});
		await until("the page knows that its prompt was taken", async () => (await this.composer.inputValue()) === "");
	}

	/** The question that waits for an answer. */
	question(): Promise<EditorQuestion> {
		return EditorQuestion.find(this.frame, async () => this.#records.questionOf(await this.threadId()));
	}

	/** What the agent has written since the last prompt, as far as it is drawn: rows far out of view are not. */
	async answer(): Promise<string> {
		return this.transcript.locator("[data-row]").evaluateAll((rows) => {
			const kindOf = (row: Element) => row.getAttribute("data-kind");
			const last = rows.findLastIndex((row) => kindOf(row) === "userMessage");
			const answers = rows.slice(last + 1).filter((row) => kindOf(row) === "agentMessage");
			return answers.map(visibleTextOf).join("\n");

			// Rows also name their author, for screen readers only.
			function visibleTextOf(row: Element): string {
				const copy = row.cloneNode(true) as Element;
				for (const hidden of copy.querySelectorAll(".sr-only")) hidden.remove();
				return copy.textContent;
			}
		});
	}

	/** Waits until the agent has written at least `length` characters since the last prompt. */
	async waitForAnswer(length: number): Promise<void> {
		await until(`an answer of ${length} characters`, async () => (await this.answer()).length >= length);
	}

	/** Waits until the newest turn has ended and the page has drawn that. */
	async waitForEnd(): Promise<void> {
		const end = await until("the turn ends", async () => this.#records.endOf(await this.threadId()));
		await this.frame.locator('main[data-running="false"]').waitFor();
		await this.#waitForDrawing(end.seq);
	}

	/** Waits until the page has drawn all that the thread holds by now. */
	async waitForRest(): Promise<void> {
		await this.#waitForDrawing(this.#records.lastOf(await this.threadId()));
	}

	async #waitForDrawing(seq: number): Promise<void> {
		await this.frame.waitForFunction((wanted) => {
			const drawn = Number(document.querySelector("main")?.dataset.seq);
			// What follows from an event is drawn with the next frame.
			return drawn >= wanted && new Promise((resolve) => requestAnimationFrame(() => resolve(true)));
		}, seq);
	}

	/** The key of each row that is drawn, in order. */
	async rowKeys(): Promise<readonly string[]> {
		return this.transcript
			.locator("[data-row]")
			.evaluateAll((rows) => rows.map((row) => row.getAttribute("data-row") ?? ""));
	}
}
