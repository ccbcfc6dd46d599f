import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CODE_SERVER } from "./editor-paths.ts";

/** Folders of one code-server. Nothing of it is written anywhere else, not even to the home folder. */
export interface EditorPlaces {
	/** Short, because sockets are made below it. */
	readonly runtime: string;
	readonly home: string;
	readonly userData: string;
	readonly extensions: string;
}

export function preparePlaces(places: EditorPlaces): void {
	for (const folder of Object.values(places)) mkdirSync(folder, { recursive: true });
	writeFileSync(configFile(places), "auth: none\n");
}

export function placeArguments(places: EditorPlaces): readonly string[] {
	return [
		CODE_SERVER,
		`--config=${configFile(places)}`,
		`--user-data-dir=${places.userData}`,
		`--extensions-dir=${places.extensions}`,
	];
}

function configFile(places: EditorPlaces): string {
	return join(places.home, "config.yaml");
}

export function serverEnvironment(places: EditorPlaces, env: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
	// What npm, another VS Code or the test runner set for this process would change how the server behaves.
	const foreign = /^(npm_|VSCODE_|NODE_OPTIONS$|NODE_TEST_CONTEXT$)/;
	const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name));
	return {
		...Object.fromEntries(kept),
		HOME: places.home,
		XDG_RUNTIME_DIR: places.runtime,
		XDG_CONFIG_HOME: join(places.home, "config"),
		XDG_DATA_HOME: join(places.home, "share"),
		// No gallery: no request leaves the machine.
		EXTENSIONS_GALLERY: '{"serviceUrl":""}',
		...env,
	};
}
