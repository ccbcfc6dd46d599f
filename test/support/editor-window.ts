import type { BrowserContext, Frame, Locator, Page } from "playwright-core";
import { EditorChat } from "./editor-chat.ts";
import { pictureFile } from "./editor-paths.ts";
import { until } from "./editor-until.ts";

export type WindowTarget =
	| { readonly folder: string }
	/** Path of a `.code-workspace` file. */
	| { readonly workspace: string }
	| "none";

const START_MS = 60_000;
// Short, because a palette that opened too early never shows the row: closing it and trying again helps, waiting does not.
const PALETTE_MS = 800;
const CLICK_MS = 3_000;

/** One window of the editor under test. */
export class EditorWindow {
	readonly page: Page;
	/** Errors that our own pages raised or logged, such as a broken content security policy. */
	readonly pageErrors: string[] = [];

	private constructor(page: Page) {
		this.page = page;
		page.on("console", (message) => {
			if (message.type() === "error" && isFromWebview(message.location().url)) this.pageErrors.push(message.text());
		});
	}

	static async open(context: BrowserContext, url: string, target: WindowTarget): Promise<EditorWindow> {
		const window = new EditorWindow(await context.newPage());
		// Without `ew` (empty window) the server opens the folder of the last visit.
		const query = new URLSearchParams(target === "none" ? { ew: "true" } : target);
		await window.page.goto(`${url}/?${query}`);
		await window.waitForWorkbench();
		if (target !== "none" && "workspace" in target) await window.reloadIfEmpty();
		return window;
	}

	/** Reloads the whole window: its extension host ends and a new one starts. */
	async reload(): Promise<void> {
		await this.page.reload();
		await this.waitForWorkbench();
	}

	/** Runs a command by its exact label in the palette. */
	async command(label: string): Promise<void> {
		await until(`the palette offers "${label}"`, async () => {
			try {
				await this.page.keyboard.press("F1");
				await this.quickInput.fill(`>${label}`, { timeout: CLICK_MS });
				await this.quickPick(label).waitFor({ timeout: PALETTE_MS });
				await this.quickPick(label).click({ timeout: CLICK_MS });
				return true;
			} catch {
				// A command whose condition turned true after the palette opened is not in it: close, open, look again.
				await this.page.keyboard.press("Escape");
				return false;
			}
		});
	}

	/** The text field of the palette, a quick pick or an input box. */
	get quickInput(): Locator {
		return this.page.locator(".quick-input-widget input.input");
	}

	/** The row of the open quick pick with exactly this label. */
	quickPick(label: string): Locator {
		const name = this.page.locator(".label-name").getByText(label, { exact: true });
		return this.page.locator(".quick-input-list .monaco-list-row").filter({ has: name }).first();
	}

	/** Types into the input box whose title holds `title`, and confirms. */
	async answer(title: string, text: string): Promise<void> {
		await this.page.locator(".quick-input-title").getByText(title).waitFor();
		await this.quickInput.fill(text);
		await this.page.keyboard.press("Enter");
	}

	toast(text: string | RegExp): Locator {
		return this.page.locator(".notifications-toasts .notification-list-item").filter({ hasText: text });
	}

	/** An entry of the status bar. */
	statusItem(text: string | RegExp): Locator {
		return this.page.locator(".part.statusbar .statusbar-item").filter({ hasText: text });
	}

	/** Unfolds a view that shares its container with others. */
	async expandView(view: string): Promise<void> {
		const header = this.page.getByRole("button", { name: `${view} Section` });
		if ((await header.getAttribute("aria-expanded")) !== "true") await header.click();
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
				if (!(await menu.isVisible())) await opener.click({ ...press, timeout: CLICK_MS });
				await item.click({ timeout: CLICK_MS });
				// A menu ignores a press that comes as it opens, and what it belongs to may close it by being drawn anew.
				await menu.waitFor({ state: "hidden", timeout: PALETTE_MS });
				return true;
			} catch {
				return false;
			}
		});
	}

	/** Grants trust in the folder through the editor's own page for it. */
	async grantTrust(): Promise<void> {
		await this.command("Workspaces: Manage Workspace Trust");
		await this.page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true }).click();
	}

	/** The chat as it is now. Ask again after a reload: the frame before it is gone. */
	async chat(): Promise<EditorChat> {
		const frame = await this.frameWith('body[data-view="vitrine.chat"] #composer');
		return new EditorChat(frame);
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
	private async reloadIfEmpty(): Promise<void> {
		const header = this.page.locator(".part.sidebar .pane-header").first();
		await header.waitFor({ timeout: START_MS });
		if (/no folder opened/i.test(await header.innerText())) await this.reload();
	}

	private async waitForWorkbench(): Promise<void> {
		await this.page.locator(".monaco-workbench .part.statusbar").waitFor({ timeout: START_MS });
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
