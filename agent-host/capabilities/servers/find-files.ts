import { basename, join, resolve } from "node:path";
import { digestValue } from "../../permissions/policy/policy.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import type { ServerSettings } from "../../protocol/settings/server-settings.ts";
import type { Readable } from "../../workspace/files/readable.ts";
import { findRealPath } from "../../workspace/files/real-path.ts";
import { lookAtName, readSmallFile } from "../../workspace/files/small-file.ts";
import { identifyFiles, readNamedFiles, showFiles } from "../named-files.ts";
import { parseServersFile } from "./parse-file.ts";
import type { Server } from "./server.ts";
import { fillVariables } from "./variables.ts";

const MAX_FILE_BYTES = 262_144;

/** A file of a workspace that defines servers. */
export interface ServersFile {
	readonly path: string;
	/** Identifies its bytes and every file of the workspace that it names. */
	readonly digest: string;
	/** All of it, for the user. */
	readonly text: string;
	readonly servers: readonly Server[];
	readonly problems: readonly string[];
}

/** The files of a workspace folder that may define servers. */
export function listServersFiles(root: string): readonly string[] {
	return [join(root, ".vscode/mcp.json"), join(root, ".mcp.json")];
}

/** A file with servers; undefined if there is none, or it has none. */
export async function loadServersFile(
	path: string,
	{ root, readable }: { readonly root: string; readonly readable: Readable },
): Promise<ServersFile | undefined> {
	const kind = await lookAtName(path);
	if (kind === "none") return undefined;
	const broken = (why: string): ServersFile => {
		return { path, digest: "", text: "", servers: [], problems: [`The servers of ${path} are not used: ${why}.`] };
	};
	if (kind === "link") return broken("it is a link");
	const read = await readSmallFile(path, MAX_FILE_BYTES, readable);
	if (read.state === "missing") return undefined;
	if (read.state === "refused") return broken(read.reason.replace(/\.$/, ""));
	if (read.bytes > MAX_FILE_BYTES) return broken(`it has more than ${MAX_FILE_BYTES} bytes`);
	const parsed = parseServersFile(read.text, path);
	if (typeof parsed === "string") return broken(parsed);
	const { servers, inputs, problems } = parsed;
	const usable = Object.entries(servers).filter(([, { enabled }]) => enabled);
	const outside = usable.find(([, settings]) => leadsOutside(settings, root));
	if (outside !== undefined) return broken(`${outside[0]} would run in or write to a folder outside the workspace`);
	if (usable.length === 0) return problems.length === 0 ? undefined : { ...broken(""), problems };
	const words = usable.flatMap(([, settings]) => listWords(settings, root));
	const files = await readNamedFiles(words, root, readable);
	if (typeof files === "string") return broken(files);
	const digest = digestValue({ text: read.text, files: identifyFiles(files) });
	const file = { path, digest, root };
	return {
		path,
		digest,
		text: [read.text, ...showFiles(files)].join("\n\n"),
		servers: usable
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([name, settings]) => ({ name, settings, inputs, file, digest: digestValue({ name, file, settings }) })),
		problems,
	};
}

/** What people know the file by. */
export function nameServersFile(path: string): string {
	return basename(path) === "mcp.json" ? ".vscode/mcp.json" : basename(path);
}

function inFolder(settings: ServerSettings, root: string): ServerSettings {
	return fillVariables(settings, new Map([["workspaceFolder", root]]));
}

/** A workspace opens nothing but itself, also not through a link in it. */
function leadsOutside(settings: ServerSettings, root: string): boolean {
	const server = inFolder(settings, root);
	if ("url" in server) return false;
	const places = [server.cwd ?? root, ...server.sandbox.filesystem.allowWrite].map((place) => resolve(root, place));
	const { real } = findRealPath(root);
	return places.some((place) => !isInside(place, root) || !isInside(findRealPath(place).real, real));
}

/** Everything in a definition that may be a path of the workspace. */
function listWords(settings: ServerSettings, root: string): readonly string[] {
	const server = inFolder(settings, root);
	if ("url" in server) return [];
	const words = [server.command, ...server.args].flatMap((word) => [word, ...word.split(/[\s=;&|()<>"'`]+/)]);
	const from = resolve(root, server.cwd ?? ".");
	return words.filter((word) => word !== "").map((word) => resolve(from, word));
}
