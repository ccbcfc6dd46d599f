// Builds the extension and opens it in a real VS Code. Usage: npm start [-- --port N | --desktop]
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setUp } from "./set-up.ts";
import { PROJECT } from "./support/editor-paths.ts";
import type { EditorPlaces } from "./support/editor-places.ts";
import { installExtension, startServer } from "./support/editor-server.ts";
import { findExecutable, runTool } from "./support/editor-tools.ts";
import { buildExtension, packExtension } from "./support/pack.ts";
import { copySample } from "./support/sample.ts";

const DEFAULT_PORT = 8765;
/** Kept between runs, so that threads and settings survive. */
const KEPT = join(PROJECT, "out", "editor");

const SETTINGS = {
	"workbench.startupEditor": "none",
	"workbench.secondarySideBar.defaultVisibility": "visible",
	// The editor's own chat would stand where ours belongs.
	"chat.disableAIFeatures": true,
	"telemetry.telemetryLevel": "off",
};

async function main(): Promise<void> {
	const { values } = parseArgs({ options: { port: { type: "string" }, desktop: { type: "boolean" } } });
	const code = findExecutable("code");
	if (values.desktop && code === undefined) {
		throw new Error(
			'VS Code\'s command "code" is not on the PATH; install VS Code, or run npm start without --desktop.',
		);
	}
	buildExtension();
	const vsix = packExtension();
	const folder = copySample(tmpdir());
	if (values.desktop && code !== undefined) openDesktop(code, vsix, folder);
	else await serve(vsix, folder, await findPort(values.port));
}

async function serve(vsix: string, folder: string, port: number): Promise<void> {
	setUp(["editor"]);
	const runtime = mkdtempSync(join(tmpdir(), "vitrine-"));
	const places = {
		runtime,
		home: join(KEPT, "home"),
		userData: join(KEPT, "data"),
		extensions: join(KEPT, "extensions"),
	};
	writeFirstSettings(places);
	await installExtension(places, vsix);
	const server = await startServer({ places, port });
	let stopping: Promise<void> | undefined;
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
		process.on(signal, () => {
			stopping ??= server.stop();
		});
	}
	// Not encoded as a form: an address that people read keeps its slashes.
	console.log(`Vitrine is ready: ${server.url}/?folder=${encodeURI(folder)}  (Ctrl+C to stop)`);
	await server.exited;
	await stopping;
	rmSync(runtime, { recursive: true, force: true });
	if (stopping === undefined) throw new Error(`VS Code ended by itself:\n${server.output()}`);
}

/** Whoever changes a setting in the editor finds it again at the next start. */
function writeFirstSettings({ userData }: EditorPlaces): void {
	const file = join(userData, "User", "settings.json");
	if (existsSync(file)) return;
	mkdirSync(join(userData, "User"), { recursive: true });
	writeFileSync(file, JSON.stringify(SETTINGS, null, "\t"));
}

function openDesktop(code: string, vsix: string, folder: string): void {
	const places = [`--user-data-dir=${join(KEPT, "desktop")}`, `--extensions-dir=${join(KEPT, "desktop-extensions")}`];
	runTool(code, [...places, "--install-extension", vsix, "--force"]);
	runTool(code, [...places, "--new-window", folder]);
	console.log(`Vitrine is ready: VS Code opens ${folder}`);
}

/** The port asked for, or else the default one or the next that is free. */
async function findPort(asked: string | undefined): Promise<number> {
	if (asked !== undefined) {
		const port = Number(asked);
		if (Number.isInteger(port) && port > 0 && port < 65_536 && (await isFree(port))) return port;
		throw new Error(`Port ${asked} cannot be used.`);
	}
	for (let port = DEFAULT_PORT; port < DEFAULT_PORT + 100; port++) if (await isFree(port)) return port;
	throw new Error(`No port is free between ${DEFAULT_PORT} and ${DEFAULT_PORT + 99}.`);
}

function isFree(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const probe = createServer();
		probe.once("error", () => resolve(false));
		probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
	});
}

try {
	await main();
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
