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

	/** Presses the row with this label, if it is there for this filter at that moment. Gives whether that closed the palette. */
	async #choose(label: string, filter: string): Promise<boolean> {
		// All at once: between two looks the palette may close, or its list be drawn again.
		return this.#page.evaluate(
			([sought, typed]) => {
				const widget = document.querySelector<HTMLElement>(".quick-input-widget");
				const isOpen = () => widget !== null && widget.style.display !== "none";
				const isTyped = () => widget?.querySelector<HTMLInputElement>("input.input")?.value === typed;
				const rows = [...(widget?.querySelectorAll(".quick-input-list .monaco-list-row") ?? [])];
				const row = rows.find((one) => one.querySelector(".label-name")?.textContent === sought);
				if (row === undefined || !isOpen() || !isTyped()) return false;
				const press = { bubbles: true, cancelable: true, view: window, detail: 1 };
				for (const type of ["mousedown", "mouseup", "click"]) row.dispatchEvent(new MouseEvent(type, press));
				return !isOpen() || !isTyped();
			},
			[label, filter] as const,
		);
	}
}
