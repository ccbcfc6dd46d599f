// What the tests and `npm start` need of the machine. Usage: node test/set-up.ts [editor] [browser] [sandbox]
import { readdirSync } from "node:fs";
import { platform } from "node:os";
import { findBrowser, HEADLESS } from "./support/browser.ts";
import { installEditor } from "./support/editor-install.ts";
import { findExecutable, repeat, runTool } from "./support/editor-tools.ts";

const NEEDS = ["editor", "browser", "sandbox"] as const;
type Need = (typeof NEEDS)[number];

interface SystemPackage {
	/** The first that the system's sources have is installed. */
	readonly names: readonly string[];
	readonly isPresent: () => boolean;
}

/** Debian packages by what they are for. */
const PACKAGES: Record<Need, readonly SystemPackage[]> = {
	editor: [],
	browser: [
		{ names: [HEADLESS, "chromium"], isPresent: hasBrowser },
		{ names: ["fonts-dejavu-core"], isPresent: hasFonts },
	],
	sandbox: [{ names: ["bubblewrap"], isPresent: () => onPath("bwrap") }],
};

/** Installs what is missing, or fails with one sentence that says what to install. */
export function setUp(needs: readonly Need[]): void {
	if (platform() === "linux") installPackages(needs.flatMap((need) => PACKAGES[need]));
	if (needs.includes("editor")) installEditor();
}

function installPackages(wanted: readonly SystemPackage[]): void {
	const missing = wanted.filter(({ isPresent }) => !isPresent()).map(({ names }) => names);
	if (missing.length === 0) return;
	const listed = missing.map((names) => names.join(" or ")).join(", ");
	const asRoot = rootPrefix();
	if (asRoot === undefined || !onPath("apt-get")) {
		throw new Error(`Please install these packages and run this again: ${listed}.`);
	}
	console.log(`Installing ${listed} …`);
	repeat(3, () => {
		aptGet(asRoot, "update");
		const chosen = missing.map((names) => names.find(isInSources) ?? names.at(-1) ?? "");
		aptGet(asRoot, "install", "-y", "--no-install-recommends", ...chosen);
	});
}

function isInSources(name: string): boolean {
	try {
		runTool("apt-cache", ["show", "--quiet", name]);
		return true;
	} catch {
		return false;
	}
}

/** Any will do; the one without a window of its own takes a quarter less of the processor, where it can be had. */
function hasBrowser(): boolean {
	if (findBrowser() === undefined) return false;
	return onPath(HEADLESS) || rootPrefix() === undefined || !onPath("apt-get") || !isInSources(HEADLESS);
}

function aptGet(asRoot: readonly string[], ...args: readonly string[]): void {
	const [command = "env", ...rest] = [...asRoot, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", ...args];
	runTool(command, rest);
}

/** What to put before a command so that it runs as root without asking; undefined when that is not possible. */
function rootPrefix(): readonly string[] | undefined {
	if (process.getuid?.() === 0) return [];
	if (!onPath("sudo")) return undefined;
	try {
		runTool("sudo", ["-n", "true"]);
		return ["sudo", "-n"];
	} catch {
		// Sudo wants a password, and nobody is there to type it.
		return undefined;
	}
}

function hasFonts(): boolean {
	try {
		return readdirSync("/usr/share/fonts", { recursive: true }).some((file) => /\.(ttf|otf)$/.test(String(file)));
	} catch {
		return false;
	}
}

function onPath(name: string): boolean {
	return findExecutable(name) !== undefined;
}

function isNeed(word: string): word is Need {
	return NEEDS.some((need) => need === word);
}

function main(words: readonly string[]): void {
	const unknown = words.filter((word) => !isNeed(word));
	if (unknown.length > 0) throw new Error(`Unknown: ${unknown.join(", ")}. Choose from ${NEEDS.join(", ")}.`);
	setUp(words.length > 0 ? words.filter(isNeed) : NEEDS);
}

if (import.meta.main) {
	try {
		main(process.argv.slice(2));
		console.log("Everything is set up.");
	} catch (error) {
		console.error(error instanceof Error ? error.message : error);
		process.exitCode = 1;
	}
}
