import type { ConsoleMessage, Request, Page as Tab } from "playwright-core";
import type { PublishedEvent } from "../../agent-host/protocol/thread/events.ts";
import type { FromInspector, ToInspector } from "../../media/inspector-wire.ts";
import type { FromWebview, ToWebview } from "../../media/wire.ts";
import { noteWait } from "../support/waits.ts";
import { aPanel } from "./a-panel.ts";

export const THREAD = "thread-1";

/** The page as a test sees it: messages in, messages and elements out. */
export class ChatPage {
	readonly tab: Tab;
	/** Requests that left for anywhere but our own server. */
	readonly strangers: string[] = [];
	readonly errors: string[] = [];
	/** What it was told, the newest last. */
	readonly told: (ToWebview | ToInspector)[] = [];
	readonly #origin: string;

	constructor(tab: Tab, origin: string) {
		this.tab = tab;
		this.#origin = origin;
		tab.on("request", this.#onRequest).on("pageerror", this.#onError).on("console", this.#onConsole);
	}

	/** Another page takes the tab. */
	leave(): void {
		this.tab.off("request", this.#onRequest).off("pageerror", this.#onError).off("console", this.#onConsole);
	}

	/** Delivers messages and waits until all that they change has been painted. */
	async tell(...messages: readonly (ToWebview | ToInspector)[]): Promise<void> {
		this.told.push(...messages);
		// As text: the browser's driver takes seconds to pass on a long thread as objects.
		const drawn = this.tab.evaluate(async (text) => {
			for (const data of JSON.parse(text)) window.dispatchEvent(new MessageEvent("message", { data }));
			await window.stub.settle();
		}, JSON.stringify(messages));
		await noted(() => `the page to draw ${messages.map(({ type }) => type).join(", ")}`, drawn);
	}

	async showThread(events: readonly PublishedEvent[], title = "A thread"): Promise<void> {
		await this.tell(
			{ type: "panel", panel: aPanel() },
			{ type: "thread", threadId: THREAD, title },
			{ type: "events", threadId: THREAD, events, loading: false },
		);
	}

	async publish(...events: readonly PublishedEvent[]): Promise<void> {
		await this.tell({ type: "events", threadId: THREAD, events, loading: false });
	}

	async painted(): Promise<void> {
		const drawn = this.tab.evaluate(() => window.stub.settle());
		await noted(() => "the page to draw", drawn);
	}

	/** As if the page had just been loaded; what it saved is still there. */
	async reload(): Promise<void> {
		await this.tab.reload();
		await this.isReady();
	}

	/** The page has posted that it is there, and drawn itself. */
	async isReady(): Promise<void> {
		await this.waitForPosted("ready");
		await this.painted();
	}

	/** What its clock shows from now on. */
	async setClock(at: number): Promise<void> {
		await this.tab.evaluate((now) => window.stub.setClock(now), at);
	}

	/** Lets time go by, which it never does otherwise. */
	async passTime(ms: number): Promise<void> {
		await this.tab.evaluate(async (time) => {
			await window.stub.pass(time);
			await window.stub.settle();
		}, ms);
	}

	posted(): Promise<FromWebview[]> {
		return this.tab.evaluate(() => window.stub.posted);
	}

	/** What was posted since the last look. */
	takePosted(): Promise<FromWebview[]> {
		return this.tab.evaluate(() => window.stub.posted.splice(0));
	}

	async waitForPosted(type: (FromWebview | FromInspector)["type"]): Promise<void> {
		const isPosted = (wanted: string) => window.stub?.posted.some((message) => message.type === wanted);
		await noted(() => `the page to post ${type}`, this.tab.waitForFunction(isPosted, type));
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

	readonly #onRequest = (request: Request): void => {
		if (!request.url().startsWith(`${this.#origin}/`)) this.strangers.push(request.url());
	};

	readonly #onError = (error: Error): void => {
		this.errors.push(String(error));
	};

	readonly #onConsole = (message: ConsoleMessage): void => {
		if (message.type() === "error") this.errors.push(message.text());
	};
}

async function noted(describe: () => string, wait: Promise<unknown>): Promise<void> {
	const start = performance.now();
	await wait;
	noteWait(describe, performance.now() - start);
}
