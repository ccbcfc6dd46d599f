import type { ChatPage } from "../page/chat-page.ts";
import type { Pages } from "../page/open-page.ts";
import { makeTall } from "../page/tall.ts";

declare global {
	interface Window {
		readonly watch: { readonly strange: string[] };
	}
}

/** All that our own code draws; whatever else appears came out of a text. */
export const ELEMENTS =
	"a article blockquote br button code dd div dl dt em footer h1 h2 h3 h4 h5 h6 hr li main ol p pre s section span strong sup table tbody td textarea th thead time tr ul";
export const ATTRIBUTES =
	"class id dir role tabindex title type start disabled rows placeholder datetime data-action data-approval data-banner data-chip data-code data-decision data-item data-kind data-level data-link data-mark data-note data-output data-path data-percent data-progress data-row data-running data-seq data-thread aria-autocomplete aria-expanded aria-hidden aria-invalid aria-label aria-labelledby aria-live aria-pressed";
/** The only elements with a style of their own: spaces that stand for rows, the context meter, the list of questions. */
const STYLED = "#transcript > div, .meter-fill, .approvals, .approval-answered";

const OWN_FILES = new Set([
	"/",
	"/theme.css",
	"/codicon.css",
	"/panel.css",
	"/panel.js",
	"/math.js",
	"/diagrams.js",
	"/languages.js",
	"/codicon.ttf",
	"/favicon.ico",
]);

/** Result and should not have. */
export interface Harm {
	/** Elements and attributes that are not ours, and scripts that ran. */
	readonly strange: readonly string[];
	readonly requests: readonly string[];
	readonly navigations: readonly string[];
	/** Of the page's policy, Trusted Types included. */
	readonly violations: readonly string[];
	readonly errors: readonly string[];
}

export const NO_HARM: Harm = { strange: [], requests: [], navigations: [], violations: [], errors: [] };

export interface WatchedPage {
	readonly page: ChatPage;
	/** Everything since the page was opened, reloads included. */
	readonly findHarm: () => Promise<Harm>;
	readonly reload: () => Promise<void>;
}

/** High enough for hundreds of open rows, since only rows near the view are drawn. */
const HEIGHT = 80_000;
const WIDTH = 900;

/** Opens a page of great height with an observer that was there before its script. */
export async function openWatched(pages: Pages): Promise<WatchedPage> {
	const page = await pages.open({ isAlone: true });
	const { tab, errors } = page;
	const requests: string[] = [];
	const navigations: string[] = [];
	const strange: string[] = [];
	const violations: string[] = [];
	const own = new URL(tab.url()).origin;
	let isReloading = false;
	tab.on("request", (request) => {
		const { origin, pathname } = new URL(request.url());
		if (origin !== own || !OWN_FILES.has(pathname)) requests.push(request.url());
	});
	tab.on("framenavigated", (frame) => {
		if (!isReloading) navigations.push(frame.url());
	});
	tab.on("popup", (popup) => navigations.push(`popup ${popup.url()}`));
	tab.on("dialog", (dialog) => {
		strange.push(`dialog ${dialog.message()}`);
		void dialog.dismiss();
	});
	await makeTall(page, WIDTH, HEIGHT);
	await tab.addInitScript(watchDocument, { elements: ELEMENTS, attributes: ATTRIBUTES, styled: STYLED });
	const collect = async () => {
		strange.push(...(await tab.evaluate(() => window.watch?.strange.splice(0) ?? [])));
		violations.push(...(await tab.evaluate(() => window.stub.violations.splice(0))));
	};
	const reload = async () => {
		await collect();
		isReloading = true;
		await page.reload();
		isReloading = false;
	};
	const findHarm = async () => {
		await collect();
		return { strange, requests, navigations, violations, errors };
	};
	await reload();
	return { page, findHarm, reload };
}

interface Allowed {
	readonly elements: string;
	readonly attributes: string;
	readonly styled: string;
}

/** Runs inside of the browser, before anything of the page. */
function watchDocument({ elements, attributes, styled }: Allowed): void {
	const tags = new Set(elements.split(" "));
	const names = new Set(attributes.split(" "));
	const strange: string[] = [];
	/** What the server sent, before the page's script ran. */
	const frame = new WeakSet<Node>();
	const check = (element: Element): void => {
		if (frame.has(element) && element.id !== "app") return;
		const isOurs = element.closest("#app") !== null || !element.isConnected;
		if (!isOurs || !tags.has(element.localName)) strange.push(element.outerHTML.slice(0, 200));
		for (const { name, value } of element.attributes) {
			// An element that has left the page by now can no longer be asked where it stood.
			const isAllowed = name === "style" ? element.matches(styled) || !element.isConnected : names.has(name);
			if (!isAllowed) strange.push(`${element.localName}[${name}="${value.slice(0, 80)}"]`);
		}
	};
	document.addEventListener("readystatechange", () => {
		if (document.readyState !== "interactive") return;
		for (const element of document.querySelectorAll("*")) frame.add(element);
	});
	new MutationObserver((records) => {
		if (document.readyState === "loading") return;
		for (const { target, addedNodes } of records) {
			if (target instanceof Element) check(target);
			for (const node of addedNodes) {
				if (!(node instanceof Element)) continue;
				check(node);
				for (const inner of node.querySelectorAll("*")) check(inner);
			}
		}
	}).observe(document, { subtree: true, childList: true, attributes: true });
	// Trusted Types refuse these too; noting each use also tells of one whose refusal was caught.
	for (const [owner, name] of [
		[Element.prototype, "innerHTML"],
		[Element.prototype, "outerHTML"],
		[ShadowRoot.prototype, "innerHTML"],
		[HTMLIFrameElement.prototype, "srcdoc"],
		[Element.prototype, "insertAdjacentHTML"],
		[Document.prototype, "write"],
		[Document.prototype, "writeln"],
		[Range.prototype, "createContextualFragment"],
		[DOMParser.prototype, "parseFromString"],
	] as const) {
		const known = Object.getOwnPropertyDescriptor(owner, name);
		const key = known?.set ? "set" : "value";
		const use = function (this: unknown, ...args: unknown[]): unknown {
			strange.push(`${name} was used`);
			return known?.[key].apply(this, args);
		};
		Object.defineProperty(owner, name, { ...known, [key]: use });
	}
	Object.assign(window, { watch: { strange }, pwned: () => strange.push("a script ran") });
}
