import type { BrowserContext, Frame, Locator, Page } from "playwright-core";
import { EditorChat } from "./editor-chat.ts";
import { Palette } from "./editor-palette.ts";
import { pictureFile } from "./editor-paths.ts";
import type { ThreadRecords } from "./editor-records.ts";
import { until } from "./editor-until.ts";

export type WindowTarget =
	| { readonly folder: string }
	/** Path of a `.code-workspace` file. */
	| { readonly workspace: string }
	| "none";

export const VIEWPORT = { width: 1280, height: 800 };

const START_MS = 60_000;
// How long one press may take, and a menu to close after it; whether it did anything is read from the window.
const PRESS_MS = 3_000;

/** One window of the editor under test. */
export class EditorWindow {
	readonly page: Page;
	/** Errors that our own pages raised or logged, such as a broken content security policy. */
	readonly pageErrors: string[] = [];
	readonly palette: Palette;
	readonly #records: ThreadRecords;
	/** It was opened on a workspace file. */
	#hasWorkspace = false;

	private constructor(page: Page, records: ThreadRecords) {
		this.page = page;
		this.palette = new Palette(page);
		this.#records = records;
		page.on("console", (message) => {
			if (message.type() === "error" && isFromWebview(message.location().url)) this.pageErrors.push(message.text());
		});
	}

	static async open(
		context: BrowserContext,
		{ url, records }: { readonly url: string; readonly records: ThreadRecords },
		target: WindowTarget,
	): Promise<EditorWindow> {
		// A new browser has a page already.
		const empty = context.pages().find((page) => page.url() === "about:blank");
		const window = new EditorWindow(empty ?? (await context.newPage()), records);
		// Without `ew` (empty window) the server opens the folder of the last visit.
		const query = new URLSearchParams(target === "none" ? { ew: "true" } : target);
		await window.page.goto(`${url}/?${query}`);
		window.#hasWorkspace = target !== "none" && "workspace" in target;
		await window.waitForWorkbench();
		return window;
	}

	/** A window that the editor has opened itself. */
	static async adopt(page: Page, { records }: { readonly records: ThreadRecords }): Promise<EditorWindow> {
		const window = new EditorWindow(page, records);
		await window.waitForWorkbench();
		return window;
	}

	/** Reloads the whole window: its extension host ends and a new one starts. */
	async reload(): Promise<void> {
		await this.page.reload();
		await this.waitForWorkbench();
	}

	/** Runs a command by its exact label in the palette. */
	async command(label: string): Promise<void> {
		await this.palette.run(label);
	}

	/** The text field of the palette, a quick pick or an input box. */
	get quickInput(): Locator {
		return this.palette.input;
	}

	/** The row of the open quick pick with exactly this label. */
	quickPick(label: string): Locator {
		return this.palette.row(label);
	}

	/** Types into the input box whose title holds `title`, and confirms. */
	async answer(title: string, text: string): Promise<void> {
		await this.page.locator(".quick-input-title").getByText(title).waitFor();
		// The list that the box follows may have the same title.
		await this.page.locator(".quick-input-list").waitFor({ state: "hidden" });
		await this.quickInput.fill(text);
		await this.page.keyboard.press("Enter");
	}

	/** An entry of the status bar. */
	statusItem(text: string | RegExp): Locator {
		return this.page.locator(".part.statusbar .statusbar-item").filter({ hasText: text });
	}

	/** Unfolds a view that shares its container with others. */
	async expandView(view: string): Promise<void> {
		await this.expandRow(this.page.getByRole("button", { name: `${view} Section` }));
	}

	/** Unfolds what can be unfolded, unless it is. */
	async expandRow(row: Locator): Promise<void> {
		if ((await row.getAttribute("aria-expanded")) !== "true") await row.click();
		await row.and(this.page.locator("[aria-expanded=true]")).waitFor();
	}

	/** The row of a tree view, found by the label of the view and a part of the row's own text. */
	treeRow(view: string, text: string | RegExp): Locator {
		const tree = this.page.getByRole("tree", { name: view });
		return tree.getByRole("treeitem").filter({ hasText: text });
	}

	/** Opens a menu by a press on `opener` and chooses from it. */
	async choose(name: string, opener: Locator, press: { readonly button?: "right" } = {}): Promise<void> {
		const menu = this.page.locator(".monaco-menu");
		// By its label alone: the name of an item that has a key ends with that key.
		const label = this.page.locator(".action-label").getByText(name, { exact: true });
		const item = menu.getByRole("menuitem").filter({ has: label });
		await until(`${name} was chosen`, async () => {
			try {
				if (!(await menu.isVisible())) await opener.click({ ...press, timeout: PRESS_MS });
				await item.click({ timeout: PRESS_MS });
				// A menu ignores a press that comes as it opens, and what it belongs to may close it by being drawn anew.
				await menu.waitFor({ state: "hidden", timeout: PRESS_MS });
				return true;
			} catch {
				return false;
			}
		});
	}

	/** Presses a button that a row of a tree shows only to the pointer, also if the tree is drawn again meanwhile. */
	async pressInRow(row: Locator, name: string): Promise<void> {
		const button = row.getByRole("button", { name });
		await until(`the row shows ${name}`, async () => {
			await row.hover();
			return button.isVisible();
		});
		await button.click();
	}

	/** Opens a file of the explorer and waits until its text has the keys. */
	async openFile(name: string): Promise<void> {
		const row = this.page.getByRole("treeitem", { name, exact: true });
		const tab = this.page.locator(".part.editor .tab.active:not(.preview)").filter({ hasText: name });
		await until(`${name} is open`, async () => {
			try {
				// The explorer may move its rows between two presses, to reveal the file that was opened before.
				await row.dblclick({ timeout: PRESS_MS });
				await tab.waitFor({ timeout: PRESS_MS });
				return true;
			} catch {
				return false;
			}
		});
		await this.focusText(name);
	}

	/** The text of the file in front, and not of one that was there before in the same place. */
	textOf(name: string): Locator {
		return this.page.locator(`.part.editor .monaco-editor[data-uri$="/${name}"]`);
	}

	/** Puts the cursor at the beginning of a file that is open. */
	async focusText(name: string): Promise<void> {
		const text = this.textOf(name);
		await text.locator(".view-lines").click();
		await text.and(this.page.locator(".focused")).waitFor();
		await this.press("Control+Home");
		await this.cursor("Ln 1, Col 1").waitFor();
	}

	/** Presses keys, one after the other. */
	async press(...keys: readonly string[]): Promise<void> {
		for (const key of keys) await this.page.keyboard.press(key);
	}

	/** Where the cursor stands and how much is selected, as the status bar says it. */
	cursor(text: string | RegExp = /^Ln \d/): Locator {
		return this.statusItem(text);
	}

	/** Grants trust in the folder through the editor's own page for it. */
	async grantTrust(): Promise<void> {
		await this.command("Workspaces: Manage Workspace Trust");
		await this.page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
	}

	/** Opens the chat and waits until it has the focus. */
	async openChat(): Promise<EditorChat> {
		await this.command("Vitrine: Open Chat");
		const chat = await this.chat();
		await chat.waitForFocus();
		return chat;
	}

	/** The chat as it is now, once it knows its thread. Ask again after a reload: the frame before it is gone. */
	async chat(): Promise<EditorChat> {
		const frame = await this.frameWith('body[data-view="vitrine.chat"] main[data-thread]');
		return new EditorChat(frame, this.#records);
	}

	/** The chat that shows this thread, in whichever place. */
	async chatOf(threadId: string): Promise<EditorChat> {
		return new EditorChat(await this.frameWith(`main[data-thread="${threadId}"]`), this.#records);
	}

	/** Takes the focus from the fields of all webviews. Keys still reach the editor. */
	async leaveFields(): Promise<void> {
		for (const frame of this.page.frames().filter((one) => isFromWebview(one.url()))) {
			const left = frame.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
			// One that has gone away meanwhile has no focus.
			await left.catch(() => undefined);
		}
	}

	/** The inner frame of the webview that holds `selector`. */
	async frameWith(selector: string): Promise<Frame> {
		return until(`a webview with ${selector}`, async () => {
			for (const frame of this.page.frames()) {
				if (isFromWebview(frame.url()) && (await holds(frame, selector))) return frame;
			}
			return undefined;
		});
	}

	/** Leaves a picture in `test/editor/pictures`, in a full run. */
	async screenshot(name: string): Promise<void> {
		if (process.env.VITRINE_FULL !== "1") return;
		await this.page.screenshot({ path: pictureFile(name) });
	}

	/** Now and then the editor opens a workspace file on a busy machine without the folders it names. */
	private async reloadWhileEmpty(): Promise<void> {
		const header = this.page.locator(".part.sidebar .pane-header").first();
		await until("the workspace has its folders", async () => {
			const title = (await header.isVisible()) ? await header.innerText() : "";
			if (!/no folder opened/i.test(title)) return title !== "";
			await this.page.reload();
			return false;
		});
	}

	private async waitForWorkbench(): Promise<void> {
		const statusBar = this.page.locator(".monaco-workbench .part.statusbar");
		await until("the workbench is drawn", () => statusBar.isVisible(), START_MS);
		if (this.#hasWorkspace) await this.reloadWhileEmpty();
	}
}

function isFromWebview(url: string): boolean {
	return url.includes("/webview/browser/pre/") || url.includes("vscode-resource");
}

async function holds(frame: Frame, selector: string): Promise<boolean> {
	try {
		return (await frame.locator(selector).count()) > 0;
	} catch {
		// The frame went away while it was being asked.
		return false;
	}
}
