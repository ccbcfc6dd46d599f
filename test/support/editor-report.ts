import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Frame, Page } from "playwright-core";
import type { Editor } from "./editor.ts";
import type { Desk } from "./editor-desk.ts";
import { pictureFile } from "./editor-paths.ts";

/** Where it failed. */
type Place = Pick<Desk, "editor" | "context">;

const LINES = 20;
const LINE_CHARS = 600;

/** The error of a failed test with what its reader would look for next: pictures, pages, threads and logs, the last lines of each. */
export async function tellFailure(error: unknown, title: string, desk: Place | undefined): Promise<Error> {
	const told = error instanceof Error ? error : new Error(String(error));
	if (desk === undefined) return told;
	const pages = desk.context.pages();
	const parts = await Promise.all(pages.map((page, index) => describeWindow(page, `${title} ${index + 1}`, desk)));
	const logs = [
		describe("Agent host and extension", linesOfLogs(desk.editor, /vitrine\.vitrine/)),
		describe("Editor", [...linesOfLogs(desk.editor, /remoteexthost|remoteagent/), ...linesOf(desk.editor.output())]),
	];
	told.stack = [told.stack ?? told.message, ...parts, ...logs].join("\n");
	return told;
}

async function describeWindow(page: Page, title: string, { editor }: Place): Promise<string> {
	const file = pictureFile(`failed ${title}`);
	try {
		await page.screenshot({ path: file });
		const [window, ...frames] = page.frames();
		const chats = await Promise.all(frames.map((frame) => lookAtChat(frame)));
		const chat = chats.find((one) => one !== undefined);
		const thread = chat?.thread ?? "";
		return [
			`Picture: ${file}`,
			describe("Window", (await window?.evaluate(readWindow)) ?? []),
			describe("Chat", chat?.lines ?? ["There is no chat."]),
			describe(`Thread ${thread}`, editor.records.describe(thread, LINES)),
		].join("\n");
	} catch (problem) {
		// The window may be what went wrong.
		return `Picture: ${file}\nThe window could not be looked at: ${problem}`;
	}
}

async function lookAtChat(frame: Frame): Promise<ReturnType<typeof readChat>> {
	try {
		return await frame.evaluate(readChat);
	} catch {
		// It went away meanwhile.
		return undefined;
	}
}

/** What lies over the workbench, or has the keys. */
function readWindow(): readonly string[] {
	const read = (name: string, selector: string) =>
		[...document.querySelectorAll<HTMLElement>(selector)]
			.filter((element) => element.offsetParent !== null)
			.map((element) => `${name}: ${element.innerText.replaceAll(/\s+/g, " ")}`);
	const { activeElement } = document;
	return [
		...read("notification", ".notification-toast"),
		...read("dialog", ".monaco-dialog-box"),
		...read("quick input", ".quick-input-widget"),
		...read("menu", ".monaco-menu"),
		...read("tab", ".part.editor .tab"),
		...read("panel", ".part.panel .composite.title"),
		`focus: ${activeElement?.localName}.${activeElement?.className}`,
	];
}

function readChat(): { readonly thread: string; readonly lines: readonly string[] } | undefined {
	const main = document.querySelector<HTMLElement>('body[data-view="vitrine.chat"] main');
	if (main === null) return undefined;
	const { thread, seq, running } = main.dataset;
	const read = (name: string, selector: string) =>
		[...main.querySelectorAll<HTMLElement>(selector)].map(
			(element) => `${name} ${element.dataset.kind ?? ""}: ${element.innerText.replaceAll(/\s+/g, " ")}`,
		);
	const composer = main.querySelector<HTMLTextAreaElement>("#composer");
	const lines = [
		...read("row", "[data-row]").slice(-8),
		...read("banner", "[data-banner]"),
		...read("alert", "[role=alert]").filter((line) => !/: $/.test(line)),
		...read("question", ".approval"),
		`thread: ${JSON.stringify(thread)}, drawn to event ${seq}, running: ${running}`,
		`prompt: ${JSON.stringify(composer?.value)}, focused: ${document.hasFocus() && document.activeElement === composer}`,
	];
	return { thread: thread ?? "", lines };
}

/** The last lines of the newest logs whose path fits. */
function linesOfLogs({ userData }: Editor, path: RegExp): readonly string[] {
	const files = readdirSync(join(userData, "logs"), { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.filter((file) => path.test(file));
	const inOrder = files.toSorted((a, b) => statSync(a).mtimeMs - statSync(b).mtimeMs);
	return inOrder.flatMap((file) => linesOf(readFileSync(file, "utf8")));
}

function linesOf(text: string): readonly string[] {
	return text.split("\n").filter((line) => line.trim() !== "");
}

function describe(name: string, lines: readonly string[]): string {
	const last = lines.slice(-LINES).map((line) => `  ${line.slice(0, LINE_CHARS)}`);
	return [`${name}:`, ...(last.length === 0 ? ["  nothing"] : last)].join("\n");
}
