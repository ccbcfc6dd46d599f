import { join, resolve } from "node:path";
import { digestValue } from "../../permissions/policy/policy.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import { readHashed, readTree, type Tree } from "../../workspace/files/read-tree.ts";
import { findAgents } from "../agents/find.ts";
import { findCommands } from "../commands/find.ts";
import { loadHookFile, loadHooks } from "../hooks/find.ts";
import { parseServersFile } from "../servers/parse-file.ts";
import type { Server } from "../servers/server.ts";
import { fillVariables } from "../servers/variables.ts";
import { findSkills } from "../skills/find.ts";
import { describeMissing, type Located, locateParts } from "./locate-parts.ts";
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
	const locate = (kind: "skills" | "commands" | "agents"): Roots => {
		const { located, problems } = locateParts(tree.files, kind, placed.paths[kind]);
		return { problems, roots: located.map((one) => ({ ...one, folder: join(folder, one.folder) })) };
	};
	const [inSkills, inCommands, inAgents] = [locate("skills"), locate("commands"), locate("agents")];
	const own = { origin: "user", prefix: name } as const;
	const [skills, commands, agents, hooks, servers] = await Promise.all([
		Promise.all(inSkills.roots.map((root) => findSkills({ ...root, ...own }, ALL, now))),
		Promise.all(inCommands.roots.map((root) => findCommands({ ...root, ...own, ending: ".md" }, ALL, now))),
		findAgents(
			inAgents.roots.map((root) => ({ ...root, ending: ".md", origin: "user" })),
			ALL,
			now,
		),
		findHooks(folder, tree, manifest.path, placed),
		findServers(folder, tree, placed),
	]);
	return {
		...{ name, version, about, folder, digest: tree.digest },
		skills: keepFirst(skills.flatMap((one) => one.skills)),
		commands: keepFirst(commands.flatMap((one) => one.skills)),
		agents: keepFirst(agents.agents),
		hooks: hooks.hooks,
		servers: servers.servers,
		problems: [
			...[...problems, ...inSkills.problems, ...inCommands.problems, ...inAgents.problems],
			...[...[...skills, ...commands].flatMap((one) => one.problems), ...agents.problems],
			...[...hooks.problems, ...servers.problems],
		],
	};
}

interface Roots {
	readonly roots: readonly Located[];
	readonly problems: readonly string[];
}

/** Those of its files, and those in its manifest. */
async function findHooks(
	folder: string,
	tree: Tree,
	manifest: string,
	{ paths, inline }: ParsedManifest["placed"],
): Promise<Pick<Plugin, "hooks" | "problems">> {
	const place = { root: folder, origin: "user", readable: ALL } as const;
	const files = await Promise.all([
		...[...new Set([HOOKS, ...paths.hooks])].map((path) => loadHookFile(join(folder, path), place)),
		// Some wrap them as a file of hooks does.
		...inline.hooks.map((one) => loadHooks(Object.hasOwn(one, "hooks") ? one.hooks : one, manifest, place)),
	]);
	const found = files.filter((file) => file !== undefined);
	return {
		hooks: found.flatMap((file) => file.hooks.map((hook) => ({ ...hook, plugin: { folder, digest: tree.digest } }))),
		problems: [...listMissing(tree, "hooks", paths.hooks), ...found.flatMap((file) => file.problems)],
	};
}

function listMissing({ files }: Tree, kind: "hooks" | "mcpServers", paths: readonly string[]): readonly string[] {
	return paths.filter((path) => !files.some((file) => file.path === path)).map((path) => describeMissing(kind, path));
}

/** A part that lies in a folder and is named besides is one. */
function keepFirst<Part extends { readonly path: string }>(parts: readonly Part[]): readonly Part[] {
	return parts.filter(({ path }, index) => parts.findIndex((other) => other.path === path) === index);
}

/** Servers start in the plugin's folder, can write nowhere, and are never outside the sandbox. */
async function findServers(
	folder: string,
	tree: Tree,
	{ paths, inline }: ParsedManifest["placed"],
): Promise<Pick<Plugin, "servers" | "problems">> {
	const files = [
		await readPart(folder, tree, SERVERS),
		...(await Promise.all(paths.mcpServers.map((path) => readPart(folder, tree, [path])))),
		...inline.mcpServers.map((one) => {
			return { path: "mcpServers in its manifest", text: JSON.stringify({ mcpServers: one.mcpServers ?? one }) };
		}),
	].filter((file) => file !== undefined);
	const found = files.map((file) => readServers(folder, tree, file));
	const servers = found.flatMap((one) => one.servers);
	return {
		// A name stands for one server: the first.
		servers: servers.filter(({ name }, index) => servers.findIndex((other) => other.name === name) === index),
		problems: [...listMissing(tree, "mcpServers", paths.mcpServers), ...found.flatMap((one) => one.problems)],
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
