import type { AddressInfo } from "node:net";
import type { Browser, Page as Tab } from "playwright-core";
import type { PublishedEvent } from "../../agent-host/protocol/events.ts";
import { readChatSettings } from "../../extension/facts/chat-settings.ts";
import type { FromInspector, ToInspector } from "../../media/inspector-wire.ts";
import type { FromWebview, PanelState, ToWebview } from "../../media/wire.ts";
import { launchBrowser } from "../support/browser.ts";
import { servePage } from "./page-server.ts";
import type { ThemeName } from "./themes.ts";

declare global {
	interface Window {
		readonly stub: {
			readonly posted: FromWebview[];
			readonly violations: string[];
			readonly timers: Set<unknown>;
			/** Where the page's clock stands still. */
			now: number | undefined;
		};
	}
}

export const THREAD = "thread-1";

export interface PageOptions {
	/** Which of our pages, or one that does the least; the chat if it is not said. */
	readonly page?: "" | "inspector" | "bare";
	readonly theme?: ThemeName;
	readonly width?: number;
	readonly height?: number;
}

/** A browser with our page in it; closing it also ends the server. */
export interface PageBrowser extends AsyncDisposable {
	/** In a tab of its own; the one before it is closed. */
	readonly open: (options?: PageOptions) => Promise<ChatPage>;
}

export async function launchPages(): Promise<PageBrowser> {
	const server = await servePage();
	const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	// Pages that share a process find their scripts compiled. This tab keeps it alive when the others are closed.
	const browser: Browser = await launchBrowser("--renderer-process-limit=1");
	const context = await browser.newContext({ timezoneId: "UTC" });
	const keeper = await context.newPage();
	await keeper.goto(`${origin}/theme.css`);
	let last: Tab | undefined;
	return {
		open: async ({ page: name = "", theme = "dark", width = 420, height = 700 } = {}) => {
			// What it goes on drawing would slow the next one down.
			await last?.close();
			const tab = await context.newPage();
			last = tab;
			await tab.setViewportSize({ width, height });
			const page = new ChatPage(tab, origin);
			await tab.goto(`${origin}/${name}?theme=${theme}`);
			await page.waitForPosted("ready");
			return page;
		},
		async [Symbol.asyncDispose]() {
			await browser.close();
			server.close();
		},
	};
}

/** The page as a test sees it: messages in, messages and elements out. */
export class ChatPage {
	readonly tab: Tab;
	/** Requests that left for anywhere but our own server. */
	readonly strangers: string[] = [];
	readonly errors: string[] = [];

	constructor(tab: Tab, origin: string) {
		this.tab = tab;
		tab.on("request", (request) => {
			if (!request.url().startsWith(`${origin}/`)) this.strangers.push(request.url());
		});
		tab.on("pageerror", (error) => this.errors.push(String(error)));
		tab.on("console", (message) => {
			if (message.type() === "error") this.errors.push(message.text());
		});
	}

	/** Delivers messages and waits until what they change has been painted. Gives the milliseconds it took. */
	async tell(...messages: readonly (ToWebview | ToInspector)[]): Promise<number> {
		// As text: the browser's driver takes seconds to pass on a long thread as objects.
		const took = await this.tab.evaluate(async (text) => {
			const parsed = JSON.parse(text);
			const start = performance.now();
			for (const data of parsed) window.dispatchEvent(new MessageEvent("message", { data }));
			await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
			return performance.now() - start;
		}, JSON.stringify(messages));
		await this.painted();
		return took;
	}

	async showThread(events: readonly PublishedEvent[], title = "A thread"): Promise<number> {
		return this.tell(
			{ type: "panel", panel: aPanel() },
			{ type: "thread", threadId: THREAD, title },
			{ type: "events", threadId: THREAD, events, loading: false },
		);
	}

	async publish(...events: readonly PublishedEvent[]): Promise<void> {
		await this.tell({ type: "events", threadId: THREAD, events, loading: false });
	}

	async painted(): Promise<void> {
		await this.tab.evaluate(async () => {
			do await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
			while (window.stub.timers.size > 0);
		});
	}

	/** Stops the page's clock there. */
	async setClock(at: number): Promise<void> {
		await this.tab.evaluate((now) => {
			window.stub.now = now;
		}, at);
	}

	posted(): Promise<FromWebview[]> {
		return this.tab.evaluate(() => window.stub.posted);
	}

	/** What was posted since the last look. */
	takePosted(): Promise<FromWebview[]> {
		return this.tab.evaluate(() => window.stub.posted.splice(0));
	}

	async waitForPosted(type: (FromWebview | FromInspector)["type"]): Promise<void> {
		await this.tab.waitForFunction((wanted) => window.stub.posted.some((message) => message.type === wanted), type);
	}

	violations(): Promise<string[]> {
		return this.tab.evaluate(() => window.stub.violations);
	}

	/** The words of each row that is drawn; when a prompt was said is not among them. */
	rowWords(): Promise<string[]> {
		return this.tab.locator("[data-row]").evaluateAll((rows) =>
			rows.map((row) => {
				const copy = row.cloneNode(true) as Element;
				for (const time of copy.querySelectorAll("time")) time.remove();
				return copy.textContent;
			}),
		);
	}

	countNodes(): Promise<number> {
		return this.tab.evaluate(() => document.querySelectorAll("*").length);
	}

	/** Pixels between the view's bottom and the end of the thread. */
	distanceToEnd(): Promise<number> {
		return this.tab.locator("#transcript").evaluate((list) => list.scrollHeight - list.clientHeight - list.scrollTop);
	}
}

export function aPanel(change: Partial<PanelState> = {}): PanelState {
	return {
		host: { state: "ready" },
		trusted: true,
		folders: ["app"],
		model: { provider: "openai", label: "gpt-5.1", incomplete: false },
		chat: readChatSettings(() => undefined),
		...change,
	};
}
