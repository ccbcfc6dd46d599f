import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import {
	type Browser,
	type BrowserContext,
	type BrowserContextOptions,
	chromium,
	type LaunchOptions,
} from "playwright-core";
import { findExecutable } from "./editor-tools.ts";

const ARGUMENTS = [
	// The browser shows only our own pages, and its sandbox cannot start as root in a container.
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

/** Chromium without a window of its own. */
export const HEADLESS = "chromium-headless-shell";

// To watch a test.
const isShown = process.env.VITRINE_SHOW !== undefined;

/** The system's Chromium, or a Chrome: no test downloads a browser. */
export function findBrowser(): string | undefined {
	return findExecutable(
		...(isShown ? [] : [HEADLESS]),
		"chromium",
		"chromium-browser",
		"google-chrome",
		"google-chrome-stable",
	);
}

export async function launchBrowser(...more: readonly string[]): Promise<Browser> {
	return chromium.launch(launchOptions(more));
}

/** One that keeps what it knows in a folder. */
export async function launchWithProfile(
	folder: string,
	options: BrowserContextOptions,
	...more: readonly string[]
): Promise<BrowserContext> {
	return chromium.launchPersistentContext(folder, { ...options, ...launchOptions(more) });
}

function launchOptions(more: readonly string[]): LaunchOptions {
	const executablePath = findBrowser();
	if (executablePath === undefined) throw new Error("No Chromium was found. Run: node test/set-up.ts browser");
	return { executablePath, headless: !isShown, args: [...ARGUMENTS, ...more] };
}

let shared: Promise<Browser> | undefined;

/** One browser for everything that this process runs. It ends with the process, which does not wait for it. */
export async function shareBrowser(): Promise<Browser> {
	const known = await shared?.catch(() => undefined);
	if (known?.isConnected()) return known;
	shared = launchApart();
	return shared;
}

/** Whoever uses it must hold the process with something else: a timer, a server. */
async function launchApart(): Promise<Browser> {
	const started: ChildProcess[] = [];
	const note = (message: unknown) => started.push((message as { readonly process: ChildProcess }).process);
	subscribe("child_process", note);
	try {
		return await launchBrowser();
	} finally {
		unsubscribe("child_process", note);
		for (const { stdio } of started)
			for (const pipe of stdio) if (pipe && "unref" in pipe) (pipe.unref as () => void)();
		for (const child of started) child.unref();
	}
}
