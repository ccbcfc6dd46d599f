import { join, resolve } from "node:path";
import { digestValue } from "../../permissions/policy/policy.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import { readHashed, readTree, type Tree } from "../../workspace/files/read-tree.ts";
import { findAgents } from "../agents/find.ts";
import { findCommands } from "../commands/find.ts";
import { loadHookFile } from "../hooks/find.ts";
import { parseServersFile } from "../servers/parse-file.ts";
import type { Server } from "../servers/server.ts";
import { fillVariables } from "../servers/variables.ts";
import { findSkills } from "../skills/find.ts";
import { type ParsedManifest, parseManifest } from "./parse-manifest.ts";
import type { Plugin } from "./plugin.ts";

/** Where the formats keep their manifests; the first one counts. */
const MANIFESTS = ["plugin.json", ".claude-plugin/plugin.json", ".codex-plugin/plugin.json"];
const SERVERS = ["mcp.json", ".mcp.json"];
const HOOKS = "hooks/hooks.json";
/** What stands for the plugin's folder in the formats. */
const ROOT_NAMES = ["PLUGIN_ROOT", "CLAUDE_PLUGIN_ROOT"];

const ALL = (): boolean => true;

/** Everything that a folder brings along as a plugin; a text says why it is none. Nothing in it runs. */
export async function findPlugin(folder: string, now?: number): Promise<Plugin | string> {
	const tree = await readTree(folder, ALL, now);
	if ("problem" in tree) return tree.problem.replace(/\.$/, "");
	const manifest = await readPart(folder, tree, MANIFESTS);
	if (manifest === undefined) return `it has none of ${MANIFESTS.join(", ")}`;
	const parsed = parseManifest(manifest.text);
	if (typeof parsed === "string") return parsed;
	const { name, version, about, problems, placed } = parsed;
	const foldersOf = (kind: "skills" | "commands" | "agents"): readonly string[] =>
		[...new Set([kind, ...placed.paths[kind]])].map((path) => join(folder, path));
	const hookPaths = [...new Set([HOOKS, ...placed.paths.hooks])].map((path) => join(folder, path));
	const own = { origin: "user", prefix: name } as const;
	const [skills, commands, agents, hooks, servers] = await Promise.all([
		Promise.all(foldersOf("skills").map((place) => findSkills({ ...own, folder: place }, ALL, now))),
		Promise.all(foldersOf("commands").map((place) => findCommands({ ...own, folder: place, ending: ".md" }, ALL, now))),
		findAgents(
			foldersOf("agents").map((place) => ({ folder: place, ending: ".md", origin: "user" })),
			ALL,
			now,
		),
		Promise.all(hookPaths.map((path) => loadHookFile(path, { root: folder, origin: "user", readable: ALL }))),
		findServers(folder, tree, placed),
	]);
	return {
		...{ name, version, about, folder, digest: tree.digest },
		skills: skills.flatMap((one) => one.skills),
		commands: commands.flatMap((one) => one.skills),
		agents: agents.agents,
		hooks: hooks
			.flatMap((file) => file?.hooks ?? [])
			.map((hook) => ({ ...hook, plugin: { folder, digest: tree.digest } })),
		servers: servers.servers,
		problems: [
			...[...problems, ...[...skills, ...commands].flatMap((one) => one.problems), ...agents.problems],
			...[...hooks.flatMap((file) => file?.problems ?? []), ...servers.problems],
		],
	};
}

/** Servers start in the plugin's folder, can write nowhere, and are never outside the sandbox. */
async function findServers(
	folder: string,
	tree: Tree,
	{ paths, servers: inline }: ParsedManifest["placed"],
): Promise<Pick<Plugin, "servers" | "problems">> {
	const files = [
		await readPart(folder, tree, SERVERS),
		...(await Promise.all(paths.mcpServers.map((path) => readPart(folder, tree, [path])))),
		inline && { path: "mcpServers in its manifest", text: JSON.stringify({ mcpServers: inline }) },
	].filter((file) => file !== undefined);
	const found = files.map((file) => readServers(folder, tree, file));
	const servers = found.flatMap((one) => one.servers);
	return {
		// A name stands for one server: the first.
		servers: servers.filter(({ name }, index) => servers.findIndex((other) => other.name === name) === index),
		problems: found.flatMap((one) => one.problems),
	};
}

function readServers(
	folder: string,
	tree: Tree,
	file: { readonly path: string; readonly text: string },
): Pick<Plugin, "servers" | "problems"> {
	const parsed = parseServersFile(file.text, file.path);
	if (typeof parsed === "string") return { servers: [], problems: [`${file.path} is not used: ${parsed}.`] };
	const problems = [...parsed.problems];
	const plugin = { folder, digest: tree.digest };
	const servers: Omit<Server, "digest">[] = [];
	const roots = new Map(ROOT_NAMES.map((name) => [name, folder]));
	for (const [name, given] of Object.entries(parsed.servers).sort(([a], [b]) => (a < b ? -1 : 1))) {
		if (!given.enabled) continue;
		const settings = fillVariables(given, roots);
		if ("url" in settings) {
			servers.push({ name, settings, inputs: parsed.inputs, plugin });
			continue;
		}
		const cwd = resolve(folder, settings.cwd ?? ".");
		if (!isInside(cwd, folder)) {
			problems.push(`${file.path}: ${name} is not used: it would run outside the plugin.`);
			continue;
		}
		const command = settings.command.startsWith("./") ? join(folder, settings.command) : settings.command;
		const sandbox = { ...settings.sandbox, filesystem: { allowWrite: [] } };
		servers.push({
			...{ name, inputs: parsed.inputs, plugin },
			settings: { ...settings, command, cwd, sandbox },
		});
	}
	return { servers: servers.map((one) => ({ ...one, digest: digestValue(one) })), problems };
}

/** The first of these files, exactly as it was hashed. */
async function readPart(
	folder: string,
	{ files }: Tree,
	names: readonly string[],
): Promise<{ readonly path: string; readonly text: string } | undefined> {
	for (const name of names) {
		const file = files.find(({ path }) => path === name);
		if (file === undefined) continue;
		const path = join(folder, name);
		const read = await readHashed(path, file.hash, ALL);
		return read.ok ? { path, text: read.text } : undefined;
	}
	return undefined;
}
