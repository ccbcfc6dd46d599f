import { type Browser, chromium } from "playwright-core";
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

/** The system's Chromium, or a Chrome: no test downloads a browser. */
export function findBrowser(): string | undefined {
	return findExecutable("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
}

export async function launchBrowser(...more: readonly string[]): Promise<Browser> {
	const executablePath = findBrowser();
	if (executablePath === undefined) throw new Error("No Chromium was found. Run: node test/set-up.ts browser");
	return chromium.launch({ executablePath, headless: true, args: [...ARGUMENTS, ...more] });
}
