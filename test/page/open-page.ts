import type { AddressInfo } from "node:net";
import { after, afterEach, before, type TestContext } from "node:test";
import type { Browser, BrowserContext, Page as Tab } from "playwright-core";
import { shareBrowser } from "../support/browser.ts";
import { ChatPage } from "./chat-page.ts";
import { reportFailure } from "./page-report.ts";
import { servePage } from "./page-server.ts";
import type { ThemeName } from "./themes.ts";

/** What the clock of a page shows when it is opened, so that the same test gives the same page at any time. */
export const OPENED_AT = Date.UTC(2026, 10, 15, 10, 42);

export interface PageOptions {
	/** Which of our pages, or one that does the least; the chat if it is not said. */
	readonly page?: "" | "inspector" | "bare";
	readonly theme?: ThemeName;
	readonly width?: number;
	readonly height?: number;
	/** A clock that runs is for whoever measures; it stands still if nothing else is said. */
	readonly clock?: "still" | "running";
	/** English if it is not said. */
	readonly language?: "de" | "ja";
	/** In a tab that no later page takes over. */
	readonly isAlone?: boolean;
}

export interface Pages {
	/** Opens a page in which nothing is left of the one before; that one is gone. */
	readonly open: (options?: PageOptions) => Promise<ChatPage>;
	/** The page as the test before has left it, for tests that begin with a state of their own; after a failure a new one. */
	readonly reuse: (options?: PageOptions) => Promise<ChatPage>;
}

/** All that the pages of this process share: opening a tab takes longer than most tests. */
interface Home {
	readonly browser: Browser;
	readonly context: BrowserContext;
	readonly origin: string;
	/** For the next page. */
	tab?: Tab | undefined;
	page?: ChatPage | undefined;
}

let home: Home | undefined;
let opened = 0;

/** Pages for the tests of a file. A test that fails says what its page showed, and leaves no page to the next one. */
export function usePages(): Pages {
	let hold: NodeJS.Timeout | undefined;
	before(async () => {
		hold = holdProcess();
		await enterHome();
	});
	after(async () => {
		await leavePage();
		// What still turns on it would take time from other tests.
		await home?.tab?.goto("about:blank");
		clearInterval(hold);
	});
	afterEach(async (context) => {
		// The types are older than what Node tells of a test that has ended.
		const { name, passed, error } = context as TestContext & { readonly passed: boolean; readonly error: Error | null };
		if (passed || home?.page === undefined) return;
		await reportFailure({ name, error }, home.page);
		home.tab = undefined;
		await leavePage();
	});
	return PAGES;
}

/** Pages for what is no test. */
export async function launchPages(): Promise<Pages & AsyncDisposable> {
	const hold = holdProcess();
	await enterHome();
	const leave = async () => {
		await leavePage();
		clearInterval(hold);
	};
	return { ...PAGES, [Symbol.asyncDispose]: leave };
}

const PAGES: Pages = { open: openPage, reuse: async (options) => home?.page ?? openPage(options) };

/** As it waits for neither the browser nor the server by itself. */
function holdProcess(): NodeJS.Timeout {
	return setInterval(() => undefined, 2 ** 30);
}

async function enterHome(): Promise<Home> {
	const browser = await shareBrowser();
	if (home?.browser === browser) return home;
	const server = await servePage();
	server.unref().on("connection", (socket) => socket.unref());
	const context = await browser.newContext({ timezoneId: "UTC" });
	home = { browser, context, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
	return home;
}

async function openPage(options: PageOptions = {}): Promise<ChatPage> {
	const {
		page: name = "",
		theme = "dark",
		width = 420,
		height = 700,
		clock = "still",
		isAlone = false,
		language,
	} = options;
	await leavePage();
	const home = await enterHome();
	const tab = await takeTab(home, isAlone);
	await tab.setViewportSize({ width, height });
	const page = new ChatPage(tab, home.origin);
	home.page = page;
	opened++;
	const still = clock === "still" ? `&clock=${OPENED_AT}` : "";
	const spoken = language === undefined ? "" : `&language=${language}`;
	await tab.goto(`${home.origin}/${name}?theme=${theme}&opened=${opened}${still}${spoken}`);
	await page.isReady();
	return page;
}

async function takeTab(home: Home, isAlone: boolean): Promise<Tab> {
	const known = home.tab;
	// Where the last test left the pointer, something of the new page may lie.
	if (!isAlone) await known?.mouse.move(-1, -1);
	else await known?.close();
	if (!isAlone && known !== undefined) return known;
	const tab = await home.context.newPage();
	home.tab = isAlone ? undefined : tab;
	return tab;
}

/** The next page may have its tab, unless it was this page's alone. */
async function leavePage(): Promise<void> {
	const page = home?.page;
	if (home === undefined || page === undefined) return;
	home.page = undefined;
	page.leave();
	if (page.tab !== home.tab) await page.tab.close();
}
