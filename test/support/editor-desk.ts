import type { BrowserContext } from "playwright-core";
import { type Editor, type EditorOptions, startEditor } from "./editor.ts";
import { openBrowser } from "./editor-browser.ts";
import { bindKeys } from "./editor-keys.ts";
import { findAgentHost } from "./editor-processes.ts";
import { until } from "./editor-until.ts";
import { EditorWindow, type WindowTarget } from "./editor-window.ts";
import { packExtension } from "./pack.ts";
import { measureSlowness } from "./slowness.ts";

/** What a locator is waited for, on a quiet machine. */
const WAIT_MS = 30_000;

/** What tests work with: an editor, and a browser to see it in. Secrets, trust and layout live in the browser, so each desk has its own. */
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

/** An editor with the packed extension. */
export async function startWithExtension(options: Omit<EditorOptions, "vsix">): Promise<Editor> {
	const editor = await startEditor({ ...options, vsix: packExtension() });
	bindKeys(editor.userData);
	return editor;
}

export async function sitDownAt(editor: Editor): Promise<OwnDesk> {
	const { context, url, close } = await openBrowser(editor.url);
	context.setDefaultTimeout(WAIT_MS * (await measureSlowness()));
	let isLeft = false;
	const cleanUps: (() => Promise<unknown>)[] = [
		close,
		() => until("no agent host is left", () => findAgentHost(editor.pid) === undefined),
	];
	return {
		editor,
		context,
		open: (target) => EditorWindow.open(context, { url, records: editor.records }, target),
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
