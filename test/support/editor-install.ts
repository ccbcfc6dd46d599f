import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { CODE_SERVER, EDITOR_HOME, EDITOR_NODE_HOME } from "./editor-paths.ts";
import { repeat, runTool } from "./editor-tools.ts";

const VSCODE = join(CODE_SERVER, "lib", "vscode");
const LOCKS = join(EDITOR_HOME, "locks");
const SUPPORTED = ["linux-x64", "linux-arm64"];
// Raised by hand when the steps below change, so that a finished installation is done again.
const STEPS_VERSION = 2;

// Both stamps live in node_modules: `npm ci` empties that folder, and with it every claim about its content.
const INSTALLED = join(EDITOR_HOME, "node_modules", ".vitrine-installed");
const READY = join(EDITOR_HOME, "node_modules", ".vitrine-ready");

/** Makes the VS Code under test runnable from the npm registry alone. Quick when done, resumes where it failed. */
export function installEditor(): void {
	const machine = `${process.platform}-${process.arch}`;
	if (!SUPPORTED.includes(machine)) {
		throw new Error(`VS Code can only be set up on ${SUPPORTED.join(" and ")}; this machine is ${machine}.`);
	}
	once(INSTALLED, stampOf("package-lock.json"), () => {
		console.log("Installing VS Code for the tests (once, about a minute) …");
		repeat(3, () => npm(EDITOR_HOME, "ci"));
	});
	const locks = ["code", "extensions"].map((name) => `locks/${name}/package-lock.json`);
	const inner = stampOf("package-lock.json", ...locks, ...Object.values(STAND_INS));
	once(READY, inner, finishCodeServer);
}

/** Native modules that take a compiler and half a minute to build, and what does instead for tests. */
const STAND_INS: Readonly<Record<string, string>> = {
	"@vscode/spdlog": "log-writer.cjs",
	"@vscode/native-watchdog": "parent-watch.cjs",
};

/** What code-server's own post-install script does, less the native modules that VS Code runs well without. */
function finishCodeServer(): void {
	installLocked(VSCODE, "code");
	installLocked(join(VSCODE, "extensions"), "extensions");
	for (const [name, file] of Object.entries(STAND_INS)) {
		copyFileSync(join(EDITOR_HOME, file), join(VSCODE, "node_modules", ...name.split("/"), "index.js"));
	}
}

/**
 * The lock files that code-server ships do not match its own manifests, so ours take their place. For another
 * code-server they are made by `npm install --package-lock-only` on a copy of both files of each folder, with
 * `omit-lockfile-registry-resolved`; npm refuses one that does not match.
 */
function installLocked(folder: string, lock: string): void {
	copyFileSync(join(LOCKS, lock, "package-lock.json"), join(folder, "npm-shrinkwrap.json"));
	repeat(3, () => npm(folder, "ci", "--omit=dev", "--ignore-scripts"));
}

function npm(cwd: string, ...args: readonly string[]): void {
	runTool("npm", [...args, "--loglevel=error", "--no-audit", "--no-fund"], { cwd, env: npmEnvironment() });
}

/** The caller may itself be an npm script, whose package and folder must not leak into this one. */
export function npmEnvironment(): NodeJS.ProcessEnv {
	const leaking = /^npm_(package|lifecycle)_|^npm_config_((local_|global_)?prefix|ignore_scripts)$|^npm_command$/i;
	const kept = Object.entries(process.env).filter(([name]) => !leaking.test(name));
	return {
		...Object.fromEntries(kept),
		PATH: [join(EDITOR_NODE_HOME, "bin"), process.env.PATH].join(delimiter),
		npm_config_nodedir: EDITOR_NODE_HOME,
	};
}

function once(stamp: string, content: string, work: () => void): void {
	if (existsSync(stamp) && readFileSync(stamp, "utf8") === content) return;
	work();
	writeFileSync(stamp, content);
}

function stampOf(...files: readonly string[]): string {
	const hash = createHash("sha256").update(`${STEPS_VERSION} ${process.arch}`);
	for (const file of files) hash.update(readFileSync(join(EDITOR_HOME, file)));
	return hash.digest("hex");
}
