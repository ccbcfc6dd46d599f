import type { Locator, Page } from "playwright-core";
import { until } from "./editor-until.ts";

/** What the palette, a quick pick or an input box shows at one moment. */
interface QuickInput {
	readonly isOpen: boolean;
	readonly value: string;
	/** The labels of its rows. */
	readonly rows: readonly string[];
}

// How long one key or press may take; whether it did anything is read from what the window shows next.
const ACT_MS = 3_000;

/** The editor's palette and everything else that uses the same widget. */
export class Palette {
	readonly #page: Page;

	constructor(page: Page) {
		this.#page = page;
	}

	get input(): Locator {
		return this.#page.locator(".quick-input-widget input.input");
	}

	/** The row with exactly this label. */
	row(label: string): Locator {
		const name = this.#page.locator(".label-name").getByText(label, { exact: true });
		return this.#page.locator(".quick-input-list .monaco-list-row").filter({ has: name }).first();
	}

	/**
	 * Runs a command by its exact label. What a palette offers is settled when it opens, so one that has answered without it
	 * is closed and opened again, until the editor offers it.
	 */
	async run(label: string): Promise<void> {
		const filter = `>${label}`;
		let unfiltered = "";
		await until(`the palette offers "${label}"`, async () => {
			const { isOpen, value, rows } = await this.look();
			if (!isOpen) await this.#open();
			else if (value !== filter) {
				unfiltered = rows.join();
				await this.input.fill(filter, { timeout: ACT_MS }).catch(() => undefined);
			} else if (rows.includes(label)) return this.#choose(label, filter);
			else if (rows.length > 0 && rows.join() !== unfiltered) await this.close();
			return false;
		});
	}

	async close(): Promise<void> {
		await until("the palette is closed", async () => {
			if (!(await this.look()).isOpen) return true;
			await this.#page.keyboard.press("Escape");
			return false;
		});
	}

	async look(): Promise<QuickInput> {
		return this.#page.evaluate(() => {
			const widget = document.querySelector<HTMLElement>(".quick-input-widget");
			const rows = [...(widget?.querySelectorAll(".quick-input-list .monaco-list-row") ?? [])];
			return {
				isOpen: widget !== null && widget.style.display !== "none" && widget.offsetParent !== null,
				value: widget?.querySelector<HTMLInputElement>("input.input")?.value ?? "",
				rows: rows.map((row) => row.querySelector(".label-name")?.textContent ?? ""),
			};
		});
	}

	async #open(): Promise<void> {
		await this.#page.keyboard.press("F1");
		// A window that has only just come may miss the key.
		await this.input.waitFor({ timeout: ACT_MS }).catch(() => undefined);
	}

	/** Gives whether the row took the press: the list may have been drawn again under it. */
	async #choose(label: string, filter: string): Promise<boolean> {
		const isLeft = async (): Promise<boolean> => {
			const { isOpen, value } = await this.look();
			return !isOpen || value !== filter;
		};
		try {
			await this.row(label).click({ timeout: ACT_MS });
		} catch {
			// On a busy machine a press may have counted although it took too long.
			return isLeft();
		}
		return until(`the palette has taken "${label}"`, isLeft);
	}
}
