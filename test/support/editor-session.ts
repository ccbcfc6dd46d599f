import { after, before, type TestContext, test } from "node:test";
import type { Browser, BrowserContext } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { type Editor, type EditorOptions, startEditor } from "./editor.ts";
import { pictureFile } from "./editor-paths.ts";
import { EditorWindow, type WindowTarget } from "./editor-window.ts";
import { packExtension } from "./pack.ts";

const CONTEXT = {
	viewport: { width: 1280, height: 800 },
	// Packing twenty megabytes of workbench for each window takes longer than sending them.
	extraHTTPHeaders: { "accept-encoding": "identity" },
};
const TEST_MS = 120_000;

/** What one test works with. Secrets, trust and layout live in the browser context, so each test has its own. */
export interface Desk {
	readonly editor: Editor;
	readonly context: BrowserContext;
	readonly open: (target: WindowTarget) => Promise<EditorWindow>;
	/** Called when the test is over, however it ended; the last one first. */
	readonly defer: (cleanUp: () => Promise<void>) => void;
}

/** Tests by their titles, in order. */
export type Claims<Opened> = Readonly<Record<string, (opened: Opened) => Promise<void>>>;

export interface EditorSession {
	/** Declares a test; a failure leaves a picture of every window in `test/editor/pictures`. */
	readonly test: (title: string, body: (desk: Desk) => Promise<void>) => void;
	/**
	 * Declares tests that go on in one window, since opening one takes longer than most of them. Each finds it as
	 * the one before left it, so the first that fails is the last that runs.
	 */
	readonly tests: <Opened>(title: string, open: (desk: Desk) => Promise<Opened>, claims: Claims<Opened>) => void;
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
	const atDesk = (body: (desk: Desk) => Promise<void>) => {
		if (editor === undefined || browser === undefined) throw new Error("The editor did not start.");
		// As the test before may have written others.
		editor.writeUserSettings(options.settings ?? {});
		return withDesk(editor, browser, body);
	};
	return {
		test: (title, body) =>
			void test(title, { timeout: TEST_MS }, () => atDesk((desk) => withPictures(desk, title, () => body(desk)))),
		tests: (title, open, claims) =>
			void test(title, (context) =>
				atDesk(async (desk) => {
					const opened = await withPictures(desk, title, () => open(desk));
					await runClaims(context, desk, opened, claims);
				}),
			),
	};
}

async function runClaims<Opened>(
	context: TestContext,
	desk: Desk,
	opened: Opened,
	claims: Claims<Opened>,
): Promise<void> {
	let failed: string | undefined;
	for (const [title, claim] of Object.entries(claims)) {
		await context.test(title, { timeout: TEST_MS }, async () => {
			if (failed !== undefined) throw new Error(`Not run, because this failed before it: ${failed}`);
			failed = title;
			await withPictures(desk, title, () => claim(opened));
			failed = undefined;
		});
	}
}

async function withDesk(editor: Editor, browser: Browser, body: (desk: Desk) => Promise<void>): Promise<void> {
	const context = await browser.newContext(CONTEXT);
	const cleanUps = [() => context.close()];
	try {
		await body({
			editor,
			context,
			open: (target) => EditorWindow.open(context, editor.url, target),
			defer: (cleanUp) => cleanUps.push(cleanUp),
		});
	} finally {
		for (const cleanUp of cleanUps.reverse()) await cleanUp();
	}
}

async function withPictures<T>({ context }: Desk, title: string, body: () => Promise<T>): Promise<T> {
	try {
		return await body();
	} catch (error) {
		for (const [index, page] of context.pages().entries()) {
			await page.screenshot({ path: pictureFile(`failed ${title} ${index + 1}`) });
		}
		throw error;
	}
}
