// What the tests and `npm start` need of the machine. Usage: node test/set-up.ts [compiler] [editor] [browser] [sandbox]
import { readdirSync } from "node:fs";
import { platform } from "node:os";
import { findBrowser } from "./support/browser.ts";
import { installEditor } from "./support/editor-install.ts";
import { findExecutable, repeat, runTool } from "./support/editor-tools.ts";

const NEEDS = ["compiler", "editor", "browser", "sandbox"] as const;
type Need = (typeof NEEDS)[number];

interface SystemPackage {
	readonly name: string;
	readonly isPresent: () => boolean;
}

/** They build two small native modules of VS Code. */
const COMPILER: readonly SystemPackage[] = [
	{ name: "python3", isPresent: () => onPath("python3") },
	{ name: "make", isPresent: () => onPath("make") },
	{ name: "g++", isPresent: () => onPath("g++") },
];

/** Debian packages by what they are for. */
const PACKAGES: Record<Need, readonly SystemPackage[]> = {
	compiler: COMPILER,
	editor: COMPILER,
	browser: [
		{ name: "chromium", isPresent: () => findBrowser() !== undefined },
		{ name: "fonts-dejavu-core", isPresent: hasFonts },
	],
	sandbox: [{ name: "bubblewrap", isPresent: () => onPath("bwrap") }],
};

/** Installs what is missing, or fails with one sentence that says what to install. */
export function setUp(needs: readonly Need[]): void {
	if (platform() === "linux") installPackages(needs.flatMap((need) => PACKAGES[need]));
	if (needs.includes("editor")) installEditor();
}

function installPackages(wanted: readonly SystemPackage[]): void {
	const missing = wanted.filter(({ isPresent }) => !isPresent()).map(({ name }) => name);
	if (missing.length === 0) return;
	const asRoot = rootPrefix();
	if (asRoot === undefined || !onPath("apt-get")) {
		throw new Error(`Please install these packages and run this again: ${missing.join(", ")}.`);
	}
	console.log(`Installing ${missing.join(", ")} …`);
	repeat(3, () => {
		aptGet(asRoot, "update");
		aptGet(asRoot, "install", "-y", "--no-install-recommends", ...missing);
	});
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
