import { after, before, test } from "node:test";
import type { Browser, BrowserContext } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { type Editor, type EditorOptions, startEditor } from "./editor.ts";
import { pictureFile } from "./editor-paths.ts";
import { EditorWindow, type WindowTarget } from "./editor-window.ts";
import { packExtension } from "./pack.ts";

const VIEWPORT = { width: 1280, height: 800 };
const TEST_MS = 120_000;

/** What one test works with. Secrets, trust and layout live in the browser context, so each test has its own. */
export interface Desk {
	readonly editor: Editor;
	readonly context: BrowserContext;
	readonly open: (target: WindowTarget) => Promise<EditorWindow>;
	/** Called when the test is over, however it ended; the last one first. */
	readonly defer: (cleanUp: () => Promise<void>) => void;
}

export interface EditorSession {
	/** Declares a test; a failure leaves a picture of every window in `test/editor/pictures`. */
	readonly test: (title: string, body: (desk: Desk) => Promise<void>) => void;
}

/** One editor with the packed extension and one browser, shared by the tests of a file. */
export function createEditorSession(options: Omit<EditorOptions, "vsix"> = {}): EditorSession {
	let editor: Editor | undefined;
	let browser: Browser | undefined;
	before(async () => {
		browser = await launchBrowser();
		editor = await startEditor({ ...options, vsix: packExtension() });
	});
	after(async () => {
		await browser?.close();
		await editor?.stop();
	});
	return {
		test: (title, body) => {
			void test(title, { timeout: TEST_MS }, async () => {
				if (editor === undefined || browser === undefined) throw new Error("The editor did not start.");
				await withDesk(editor, browser, title, body);
			});
		},
	};
}

async function withDesk(
	editor: Editor,
	browser: Browser,
	title: string,
	body: (desk: Desk) => Promise<void>,
): Promise<void> {
	const context = await browser.newContext({ viewport: VIEWPORT });
	const cleanUps = [() => context.close()];
	try {
		await body({
			editor,
			context,
			open: (target) => EditorWindow.open(context, editor.url, target),
			defer: (cleanUp) => cleanUps.push(cleanUp),
		});
	} catch (error) {
		for (const [index, page] of context.pages().entries()) {
			await page.screenshot({ path: pictureFile(`failed ${title} ${index + 1}`) });
		}
		throw error;
	} finally {
		for (const cleanUp of cleanUps.reverse()) await cleanUp();
	}
}
