import { basename } from "node:path";
import { NotGiven } from "../../capabilities/servers/load.ts";
import type { Server } from "../../capabilities/servers/server.ts";
import { fillVariables, findVariables, type Variable } from "../../capabilities/servers/variables.ts";
import type { ServerSettings } from "../../protocol/settings/server-settings.ts";
import type { Ports } from "../ports/ports.ts";

export interface FillWith {
	/** Stands for the workspace in the user's own settings. */
	readonly folder: string | undefined;
	readonly userHome: string;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly ask: Ports["serverInput"];
}

/** A definition that can be used as it is, and values in it that nobody may read. */
export interface FilledServer {
	readonly settings: ServerSettings;
	readonly secrets: readonly string[];
}

/** Gives every variable of a server its value. Fails with a sentence for the user if one has none. */
export async function fillServer(server: Server, given: FillWith): Promise<FilledServer> {
	const values = new Map<string, string>();
	const secrets: string[] = [];
	for (const [text, variable] of findVariables(server.settings)) {
		const value = await findValue(server, variable, given);
		if (value === undefined) throw new Error(`\${${text}} has no value here.`);
		values.set(text, value);
		if (variable.kind === "input" || variable.kind === "environment") secrets.push(value);
	}
	return { settings: fillVariables(server.settings, values), secrets };
}

/** A text without the values that nobody may read. Short ones are in any text by chance. */
export function hideSecrets(text: string, secrets: readonly string[]): string {
	// A reason is one line.
	const written = secrets.flatMap((secret) => [secret, secret.replaceAll(/\s+/g, " ")]);
	const long = written.filter((secret) => secret.length >= MIN_SECRET_CHARS);
	return long.reduce((so, secret) => so.replaceAll(secret, "…"), text);
}

const MIN_SECRET_CHARS = 6;

async function findValue(server: Server, variable: Variable, given: FillWith): Promise<string | undefined> {
	const folder = server.file?.root ?? given.folder;
	switch (variable.kind) {
		case "folder":
			return folder;
		case "folderName":
			return folder === undefined ? undefined : basename(folder);
		case "home":
			return given.userHome;
		case "environment":
			return given.environment[variable.name] || variable.otherwise;
		case "input":
			return enter(server, variable.id, given);
		case "unknown":
			return undefined;
	}
}

/** What has no definition is treated as a password. */
async function enter({ name, settings, inputs, file }: Server, id: string, { ask }: FillWith): Promise<string> {
	const input = inputs.find((one) => one.id === id) ?? { id, password: true };
	const place = "url" in settings ? new URL(settings.url).origin : [settings.command, ...settings.args].join(" ");
	const value = await ask({ server: name, place, input, ...(file && { file: file.path }) }).catch(() => undefined);
	if (value === undefined) throw new NotGiven(`It needs a value for ${id}. Start it to enter one.`);
	return value;
}
