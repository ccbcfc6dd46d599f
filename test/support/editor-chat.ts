import type { Frame, Locator } from "playwright-core";
import { GUARD_MS } from "../../media/approval/guard.ts";
import { until } from "./editor-until.ts";

export type RowKind =
	| "userMessage"
	| "agentMessage"
	| "reasoning"
	| "toolCall"
	| "notice"
	| "context"
	| "warning"
	| "changes"
	| "turnEnd";
export type Banner = "restricted" | "noFolder" | "hostStopped" | "limit" | "demo" | "model" | "problem";

/** The chat's page, by the attributes that it keeps stable for tests. */
export class EditorChat {
	readonly frame: Frame;

	constructor(frame: Frame) {
		this.frame = frame;
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

	/** Types a prompt and sends it with the button. */
	async ask(text: string): Promise<void> {
		await this.composer.fill(text);
		await this.send.click();
		await this.rows("userMessage").filter({ hasText: text }).last().waitFor();
	}

	/** Presses a button of a question that has stood long enough for a press to count. */
	async press(selector: string): Promise<void> {
		await this.frame.locator(selector).waitFor();
		const seen = await this.frame.evaluate(() => performance.now());
		await this.frame.waitForFunction((until) => performance.now() > until, seen + 2 * GUARD_MS);
		await this.frame.locator(selector).click();
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

	async waitForEnd(): Promise<void> {
		await this.running.waitFor({ state: "detached" });
	}

	/** The key of each row that is drawn, in order. */
	async rowKeys(): Promise<readonly string[]> {
		return this.transcript
			.locator("[data-row]")
			.evaluateAll((rows) => rows.map((row) => row.getAttribute("data-row") ?? ""));
	}
}
