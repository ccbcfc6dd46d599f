import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { installAlone } from "./editor-installed.ts";
import { KEY_SETTINGS } from "./editor-keys.ts";
import { EDITOR_EXTENSIONS } from "./editor-paths.ts";
import { ThreadRecords } from "./editor-records.ts";
import { installExtension, startServer } from "./editor-server.ts";
import { until } from "./editor-until.ts";

export type EditorSettings = Readonly<Record<string, unknown>>;

export interface EditorOptions {
	readonly vsix?: string;
	/** Folders of other extensions, to be installed beside ours. */
	readonly beside?: readonly string[];
	/** All of the editor's own extensions, as users have them, or these beside the few that every window needs. */
	readonly builtIn?: "all" | readonly string[];
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
	/** Where our extension keeps its files. */
	readonly storage: string;
	readonly extensions: string;
	readonly pid: number;
	/** What its threads hold. */
	readonly records: ThreadRecords;
	/** Makes a new folder with these files, by relative path. */
	readonly folder: (files: Readonly<Record<string, string>>) => string;
	/** Replaces the user's settings; a window reads them when it opens and does not watch them. */
	readonly writeUserSettings: (settings: EditorSettings) => void;
	/** The user's settings, once the editor has written them whole. */
	readonly readUserSettings: () => Promise<EditorSettings>;
	/** The machine's settings, likewise: in a remote window, as here, what belongs to a machine is kept there. */
	readonly readMachineSettings: () => Promise<EditorSettings>;
	/** Replaces the machine's settings; open windows see the change within seconds. */
	readonly writeMachineSettings: (settings: EditorSettings) => void;
	/** Every log of the editor and its extensions, as one text. */
	readonly logs: () => string;
	/** What its server printed. */
	readonly output: () => string;
	readonly stop: () => Promise<void>;
}

/** Each extension more is scanned, sent to every window and perhaps started. */
const FEW_BUILT_IN = ["theme-defaults", "json", "typescript-basics", "markdown-basics"];

/** Quiet, still and offline; everything else as users have it. */
const BASE_SETTINGS: EditorSettings = {
	"workbench.startupEditor": "none",
	"workbench.tips.enabled": false,
	// Settings and Workspace Trust open as plain tabs, not as an overlay.
	"workbench.editor.useModal": "off",
	// The editor's own chat is not under test, and its agent process would run beside ours.
	"chat.disableAIFeatures": true,
	"telemetry.telemetryLevel": "off",
	"git.enabled": false,
	"extensions.ignoreRecommendations": true,
	...KEY_SETTINGS,
	// What starts or moves in every window and is not looked at: each costs processor time that the tests share.
	"extensions.webWorker": false,
	"editor.experimental.asyncTokenization": false,
	"editor.minimap.enabled": false,
	"editor.cursorBlinking": "solid",
	// On a busy machine a suggestion is there before the Enter that was meant for a new line.
	"editor.acceptSuggestionOnEnter": "off",
	"workbench.reduceMotion": "on",
	// Where they cover neither the chat nor its lists: what lies under one cannot be pressed.
	"workbench.notifications.position": "bottom-left",
};

/** A window that was closed in haste says no goodbye; then the editor would keep what ran in it for hours, to be found again. */
const FORGET_SECONDS = 2;

// The test runner ends a file that takes too long with SIGTERM; only an orderly exit also ends the editor.
process.once("SIGTERM", () => process.exit(1));

export async function startEditor(options: EditorOptions): Promise<Editor> {
	const { vsix, beside = [], builtIn = [], settings = {}, env, args = [], within } = options;
	const root = mkdtempSync(join(tmpdir(), "vitrine-"));
	const userData = join(root, "data");
	const places = { runtime: root, home: join(root, "home"), userData, extensions: join(root, "extensions") };
	const writeUserSettings = (values: EditorSettings) =>
		writeSettings(join(userData, "User"), { ...BASE_SETTINGS, ...values });
	writeUserSettings(settings);
	// Before the first installation, which makes the list of what is installed.
	for (const folder of beside) cpSync(folder, join(places.extensions, installedName(folder)), { recursive: true });
	const install = beside.length === 0 ? installAlone : installExtension;
	if (vsix !== undefined) await install(places, vsix);
	const server = await startServer({
		places,
		port: 0,
		args: [
			...args,
			`--reconnection-grace-time=${FORGET_SECONDS}`,
			...(builtIn === "all" ? [] : ["--vscode-option", `builtin-extensions-dir=${linkSome(root, builtIn)}`]),
		],
		...(env && { env }),
		...(within && { within }),
	});
	const storage = join(userData, "User", "globalStorage", "vitrine.vitrine");
	return {
		url: server.url,
		root,
		userData,
		storage,
		extensions: places.extensions,
		pid: server.pid,
		records: new ThreadRecords(join(storage, "threads")),
		folder: (files) => makeFolder(root, files),
		writeUserSettings,
		readUserSettings: () => readSettings(join(userData, "User")),
		readMachineSettings: () => readSettings(join(userData, "Machine")),
		writeMachineSettings: (values) => writeSettings(join(userData, "Machine"), values),
		output: server.output,
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

function linkSome(root: string, more: readonly string[]): string {
	const folder = join(root, "built-in");
	mkdirSync(folder);
	for (const name of [...FEW_BUILT_IN, ...more]) symlinkSync(join(EDITOR_EXTENSIONS, name), join(folder, name));
	return folder;
}

function writeSettings(folder: string, settings: EditorSettings): void {
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "settings.json"), JSON.stringify(settings, null, "\t"));
}

/** The editor writes the file in place, so whoever looks meanwhile finds a part of it. */
function readSettings(folder: string): Promise<EditorSettings> {
	return until("the settings are written whole", () => {
		const text = readFileSync(join(folder, "settings.json"), "utf8");
		return text.trimEnd().endsWith("}") && (JSON.parse(text) as EditorSettings);
	});
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
