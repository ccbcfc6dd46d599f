import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { installExtension, startServer } from "./editor-server.ts";

export type EditorSettings = Readonly<Record<string, unknown>>;

export interface EditorOptions {
	readonly vsix?: string;
	/** Folders of other extensions, to be installed beside ours. */
	readonly beside?: readonly string[];
	readonly settings?: EditorSettings;
	readonly env?: Readonly<Record<string, string>>;
	/** Further arguments of code-server. */
	readonly args?: readonly string[];
	/** Words of a program that starts code-server on a machine made for it. */
	readonly within?: readonly string[];
}

export interface Editor {
	readonly url: string;
	/** Everything the editor writes is below this folder. */
	readonly root: string;
	readonly userData: string;
	readonly extensions: string;
	readonly pid: number;
	/** Makes a new folder with these files, by relative path. */
	readonly folder: (files: Readonly<Record<string, string>>) => string;
	/** Replaces the user's settings; a window reads them when it opens and does not watch them. */
	readonly writeUserSettings: (settings: EditorSettings) => void;
	/** Replaces the machine's settings; open windows see the change within seconds. */
	readonly writeMachineSettings: (settings: EditorSettings) => void;
	/** Every log of the editor and its extensions, as one text. */
	readonly logs: () => string;
	readonly stop: () => Promise<void>;
}

/** Quiet and offline; everything else as users have it. */
const BASE_SETTINGS: EditorSettings = {
	"workbench.startupEditor": "none",
	"workbench.tips.enabled": false,
	// Settings and Workspace Trust open as plain tabs, not as an overlay.
	"workbench.editor.useModal": "off",
	// The editor's own chat is not under test, and its agent process would run beside ours.
	"chat.disableAIFeatures": true,
	"telemetry.telemetryLevel": "off",
	"git.enabled": false,
};

// The test runner ends a file that takes too long with SIGTERM; only an orderly exit also ends the editor.
process.once("SIGTERM", () => process.exit(1));

export async function startEditor(options: EditorOptions): Promise<Editor> {
	const { vsix, beside = [], settings = {}, env, args, within } = options;
	const root = mkdtempSync(join(tmpdir(), "vitrine-"));
	const userData = join(root, "data");
	const places = { runtime: root, home: join(root, "home"), userData, extensions: join(root, "extensions") };
	const writeUserSettings = (values: EditorSettings) =>
		writeSettings(join(userData, "User"), { ...BASE_SETTINGS, ...values });
	writeUserSettings(settings);
	// Before the first installation, which makes the list of what is installed.
	for (const folder of beside) cpSync(folder, join(places.extensions, installedName(folder)), { recursive: true });
	if (vsix !== undefined) installExtension(places, vsix);
	const server = await startServer({
		places,
		port: 0,
		...(env && { env }),
		...(args && { args }),
		...(within && { within }),
	});
	return {
		url: server.url,
		root,
		userData,
		extensions: places.extensions,
		pid: server.pid,
		folder: (files) => makeFolder(root, files),
		writeUserSettings,
		writeMachineSettings: (values) => writeSettings(join(userData, "Machine"), values),
		logs: () => `${server.output()}\n${readLogs(join(userData, "logs"))}`,
		async stop() {
			await server.stop();
			rmSync(root, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

function installedName(folder: string): string {
	const { publisher, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
	return `${publisher}.${name}-${version}`;
}

function writeSettings(folder: string, settings: EditorSettings): void {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "settings.json"), JSON.stringify(settings, null, "\t"));
}

function makeFolder(root: string, files: Readonly<Record<string, string>>): string {
	const folder = mkdtempSync(join(root, "folder-"));
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
	return folder;
}

function readLogs(folder: string): string {
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
		.join("\n");
}
