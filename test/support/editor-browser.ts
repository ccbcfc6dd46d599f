import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext } from "playwright-core";
import { launchWithProfile } from "./browser.ts";
import { VIEWPORT } from "./editor-window.ts";

/** What of a profile may stay for the next browser: what it has loaded, and what it has compiled of that. */
const KEPT: readonly string[] = ["Cache", "Code Cache"];

/** What is loaded and compiled is kept by its address, so every editor has the same one. */
const HOST = "localhost";

/** The last such switch counts: the first of these compiles every script anew, the others are Playwright's own choice. */
const DISABLED = [
	"BackgroundResourceFetch",
	"AvoidUnnecessaryBeforeUnloadCheckSync",
	"DestroyProfileOnBrowserClose",
	"HttpsUpgrades",
	"PaintHolding",
	"ThirdPartyStoragePartitioning",
];

/** No window is open for long enough to win back what optimizing its code costs: a sixth of all that an editor test takes. */
const UNOPTIMIZED = "--js-flags=--no-opt,--no-maglev";

const CONTEXT = {
	viewport: VIEWPORT,
	// Packing twenty megabytes of workbench takes longer than sending them.
	extraHTTPHeaders: { "accept-encoding": "identity" },
};

/** Profiles of this process that no browser uses now. */
const idle: string[] = [];

interface EditorBrowser {
	readonly context: BrowserContext;
	/** Where it finds the editor. */
	readonly url: string;
	readonly close: () => Promise<void>;
}

/**
 * A browser for one editor that knows nothing of those before it, except the workbench: to compile that takes as much processor
 * time as everything else until it is drawn. A browser keeps what it has compiled when it meets it again, so the third one gains.
 */
export async function openBrowser(editorUrl: string): Promise<EditorBrowser> {
	const profile = idle.pop() ?? makeProfile();
	clean(profile);
	const { host } = new URL(editorUrl);
	const switches = [
		`--host-resolver-rules=MAP ${HOST}:80 ${host}`,
		`--disable-features=${DISABLED.join()}`,
		UNOPTIMIZED,
	];
	const context = await launchWithProfile(profile, CONTEXT, ...switches);
	return {
		context,
		url: `http://${HOST}`,
		close: async () => {
			await context.close();
			idle.push(profile);
		},
	};
}

function makeProfile(): string {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-profile-"));
	process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
	return folder;
}

/** Secrets, trust and layout are in the profile too. */
function clean(profile: string): void {
	removeAllBut(["Default"], profile);
	removeAllBut(KEPT, join(profile, "Default"));
}

function removeAllBut(kept: readonly string[], folder: string): void {
	for (const name of readNames(folder)) {
		if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 });
	}
}

function readNames(folder: string): readonly string[] {
	try {
		return readdirSync(folder);
	} catch {
		// No browser has been here yet.
		return [];
	}
}
