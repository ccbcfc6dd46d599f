import type { Browser, BrowserContext } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { type Editor, type EditorOptions, startEditor } from "./editor.ts";
import { findAgentHost } from "./editor-processes.ts";
import { until } from "./editor-until.ts";
import { EditorWindow, VIEWPORT, type WindowTarget } from "./editor-window.ts";
import { packExtension } from "./pack.ts";
import { measureSlowness } from "./slowness.ts";

const CONTEXT = {
	viewport: VIEWPORT,
	// Packing twenty megabytes of workbench for each window takes longer than sending them.
	extraHTTPHeaders: { "accept-encoding": "identity" },
};

/** What a locator is waited for, on a quiet machine. */
const WAIT_MS = 30_000;

/** An editor with the packed extension, and a browser to see it in. */
export interface World {
	readonly editor: Editor;
	readonly browser: Browser;
	readonly stop: () => Promise<void>;
}

/** What tests work with. Secrets, trust and layout live in the browser context, so each desk has its own. */
export interface Desk {
	readonly editor: Editor;
	readonly context: BrowserContext;
	readonly open: (target: WindowTarget) => Promise<EditorWindow>;
	/** Called when the desk is left, however its tests ended; the last one first. */
	readonly defer: (cleanUp: () => Promise<void>) => void;
	/** Says that no other test can go on here: the next one gets a new desk. */
	readonly leave: () => void;
}

export interface OwnDesk extends Desk {
	readonly isLeft: () => boolean;
	/** Closes its windows and waits until their agent hosts have ended. */
	readonly close: () => Promise<void>;
}

/** Both at the same time: each waits for its own process. */
export async function startWorld(options: Omit<EditorOptions, "vsix">): Promise<World> {
	const vsix = packExtension();
	const [browser, editor] = await Promise.allSettled([launchBrowser(), startEditor({ ...options, vsix })]);
	const stop = async (): Promise<void> => {
		if (browser.status === "fulfilled") await browser.value.close();
		if (editor.status === "fulfilled") await editor.value.stop();
	};
	if (browser.status === "fulfilled" && editor.status === "fulfilled") {
		return { browser: browser.value, editor: editor.value, stop };
	}
	await stop();
	throw browser.status === "rejected" ? browser.reason : editor.status === "rejected" ? editor.reason : undefined;
}

export async function sitDownIn({ editor, browser }: World): Promise<OwnDesk> {
	const context = await browser.newContext(CONTEXT);
	context.setDefaultTimeout(WAIT_MS * (await measureSlowness()));
	let isLeft = false;
	const cleanUps: (() => Promise<unknown>)[] = [
		() => context.close(),
		() => until("no agent host is left", () => findAgentHost(editor.pid) === undefined),
	];
	return {
		editor,
		context,
		open: (target) => EditorWindow.open(context, editor, target),
		defer: (cleanUp) => cleanUps.unshift(cleanUp),
		leave: () => {
			isLeft = true;
		},
		isLeft: () => isLeft,
		close: async () => {
			for (const cleanUp of cleanUps) await cleanUp();
		},
	};
}
