import { join } from "node:path";
import { digestValue } from "../../permissions/policy/policy.ts";
import { listFilesEnding } from "../../workspace/files/list-folders.ts";
import type { Readable } from "../../workspace/files/readable.ts";
import { lookAtName, readSmallFile } from "../../workspace/files/small-file.ts";
import { identifyFiles, readNamedFiles, showFiles } from "../named-files.ts";
import type { HookFile } from "./hook.ts";
import { parseHooks } from "./parse-hooks.ts";

const MAX_FILE_BYTES = 262_144;
const PROJECT = /\$\{?(?:CLAUDE|VITRINE)_PROJECT_DIR\}?/g;

/** The files of a workspace folder that may have hooks. */
export async function listHookFiles(root: string): Promise<readonly string[]> {
	const github = join(root, ".github/hooks");
	return [
		join(root, ".vitrine/hooks.json"),
		...(await listFilesEnding(github, ".json")).map((name) => join(github, name)),
		join(root, ".claude/settings.json"),
	];
}

/** `root`: where the commands of hooks run. */
export interface HookPlace {
	readonly root: string;
	readonly origin: HookFile["origin"];
	readonly readable: Readable;
}

/** A file with hooks; undefined if there is none, or it has none. */
export async function loadHookFile(path: string, place: HookPlace): Promise<HookFile | undefined> {
	const { origin, readable } = place;
	if ((await lookAtName(path)) === "none") return undefined;
	const broken = (why: string): HookFile => describeBroken(path, origin, why);
	if (origin === "workspace" && (await lookAtName(path)) === "link") return broken("it is a link");
	const read = await readSmallFile(path, MAX_FILE_BYTES, readable);
	if (read.state === "missing") return undefined;
	if (read.state === "refused") return broken(read.reason.replace(/\.$/, ""));
	if (read.bytes > MAX_FILE_BYTES) return broken(`it has more than ${MAX_FILE_BYTES} bytes`);
	const value = parseObject(read.text);
	if (value === undefined) return broken("it is not valid JSON");
	return Object.hasOwn(value, "hooks") ? loadHooks(value.hooks, path, place) : undefined;
}

/** The hooks that a file defines, with the scripts that they name; undefined if it defines none. */
export async function loadHooks(
	defined: unknown,
	path: string,
	{ root, origin, readable }: HookPlace,
): Promise<HookFile | undefined> {
	const { hooks, problems } = parseHooks(defined, path);
	if (hooks.length === 0 && problems.length === 0) return undefined;
	const words = [...new Set(hooks.map(({ command }) => command))].flatMap(listWords);
	const scripts = await readNamedFiles(words, root, readable);
	if (typeof scripts === "string") return describeBroken(path, origin, scripts);
	const digest = digestValue({ hooks: defined, scripts: identifyFiles(scripts) });
	return {
		path,
		origin,
		digest,
		text: [JSON.stringify(defined, undefined, 2), ...showFiles(scripts)].join("\n\n"),
		hooks: hooks.map((hook) => ({ ...hook, path, origin, digest, root })),
		problems,
	};
}

function describeBroken(path: string, origin: HookFile["origin"], why: string): HookFile {
	return { path, origin, digest: "", text: "", hooks: [], problems: [`The hooks of ${path} are not used: ${why}.`] };
}

/** Everything in a command that may be a path from the project's folder, with and without what quotes hold together. */
function listWords(command: string): readonly string[] {
	// What it only writes to, such as a log, does not belong to it.
	const relative = command.replaceAll(PROJECT, ".").replaceAll(/>>?[ \t]*[^\s;&|()<>]+/g, " ");
	const quoted = [...relative.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, double, single]) => double ?? single ?? "");
	return [...quoted, ...relative.replaceAll(/["'`]/g, "").split(/[\s;&|()<>=]+/)];
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value: unknown = JSON.parse(text);
		const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
		return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
	} catch {
		return undefined;
	}
}
