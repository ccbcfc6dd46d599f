import { showChange } from "../../capabilities/consent/judge-consent.ts";
import { findPlugin } from "../../capabilities/plugins/find.ts";
import type { Plugin } from "../../capabilities/plugins/plugin.ts";
import { showPluginFiles } from "../../capabilities/plugins/show-files.ts";
import { HostError } from "../../protocol/errors.ts";
import { say } from "../../protocol/say.ts";
import type { ConsentFiles } from "../../store/home/consent-file.ts";
import type { PluginFolders } from "../../store/home/plugin-folders.ts";
import { isFolder } from "../../workspace/files/small-file.ts";

const KIND = "plugin";
/** A longer difference is cut. */
const MAX_CHANGE_CHARS = 200_000;

/** The plugins of the user: copies of folders that they chose. */
export interface Plugins {
	/** Those that are exactly as the user agreed to, and a sentence for each other one. */
	readonly find: (now?: number) => Promise<FoundPlugins>;
	/** What a folder would bring along. Changes nothing. */
	readonly inspect: (folder: string) => Promise<Plugin>;
	/** How a plugin differs from what the user agreed to under its name; undefined if they agreed to nothing else. */
	readonly compare: (plugin: Plugin) => Promise<string | undefined>;
	/** Copies what was inspected, if it still is exactly that; another version of it goes. */
	readonly install: (folder: string, digest: string) => Promise<Plugin>;
	/** Removes its copy and the user's answer, by name or digest. Returns the names of its servers, which may still run. */
	readonly remove: (name: string) => Promise<readonly string[]>;
}

export interface FoundPlugins {
	readonly plugins: readonly Plugin[];
	/** Copies of which nothing is used, with the reason in one sentence. */
	readonly unusable: readonly UnusablePlugin[];
}

interface UnusablePlugin {
	readonly digest: string;
	readonly problem: string;
}

export function createPlugins(folders: PluginFolders, consents: ConsentFiles): Plugins {
	const load = async (digest: string, now?: number): Promise<Plugin | UnusablePlugin> => {
		const folder = folders.folderFor(digest);
		const answer = await consents.read({ kind: KIND, path: folder });
		if (answer?.decision !== "agreed" || answer.digest !== digest)
			return { digest, problem: `The plugin in ${folder} is not used: you did not install it.` };
		const plugin = await findPlugin(folder, now);
		if (typeof plugin !== "string" && plugin.digest === digest) return plugin;
		return { digest, problem: `The plugin in ${folder} has changed and is not used. Install it again to use it.` };
	};
	const find: Plugins["find"] = async (now) => {
		const loaded = await Promise.all((await folders.list()).map((digest) => load(digest, now)));
		return {
			plugins: loaded.flatMap((one) => ("problem" in one ? [] : [one])).sort((a, b) => (a.name < b.name ? -1 : 1)),
			unusable: loaded.filter((one) => "problem" in one),
		};
	};
	const inspect: Plugins["inspect"] = async (folder) => {
		if (!isFolder(folder)) throw new HostError("input-refused", say("folder-gone", { cwd: folder }));
		const plugin = await findPlugin(folder);
		if (typeof plugin !== "string") return plugin;
		throw new HostError("input-refused", say("plugin-refused", { folder, reason: plugin }));
	};
	const compare: Plugins["compare"] = async ({ name, digest, folder }) => {
		for (const other of await folders.list()) {
			if (other === digest) continue;
			const answer = await consents.read({ kind: KIND, path: folders.folderFor(other) });
			const agreed = answer?.decision === "agreed" ? answer.agreedText : undefined;
			if (!agreed?.startsWith(`${name}\n`)) continue;
			return showChange(agreed.slice(name.length + 1), await showPluginFiles(folder)).slice(0, MAX_CHANGE_CHARS);
		}
		return undefined;
	};
	const drop = async (digest: string): Promise<void> => {
		await consents.remove({ kind: KIND, path: folders.folderFor(digest) });
		await folders.remove(digest);
	};
	return {
		find,
		inspect,
		compare,
		async install(folder, digest) {
			const { name, digest: now } = await inspect(folder);
			const changed = new HostError("input-refused", say("plugin-changed", { name }));
			if (now !== digest) throw changed;
			const before = (await find()).plugins.filter((one) => one.name === name && one.digest !== digest);
			const isWanted = async (copy: string): Promise<boolean> => {
				const copied = await findPlugin(copy);
				return typeof copied !== "string" && copied.digest === digest;
			};
			if (!(await folders.copy(folder, digest, isWanted))) throw changed;
			const path = folders.folderFor(digest);
			await consents.write({
				kind: KIND,
				path,
				digest,
				decision: "agreed",
				agreedText: `${name}\n${await showPluginFiles(path)}`,
			});
			for (const old of before) await drop(old.digest);
			const installed = await load(digest);
			if ("problem" in installed) throw changed;
			return installed;
		},
		async remove(name) {
			const servers: string[] = [];
			for (const digest of await folders.list()) {
				const plugin = await findPlugin(folders.folderFor(digest));
				const found = typeof plugin === "string" ? undefined : plugin;
				if (digest !== name && found?.name !== name) continue;
				servers.push(...(found?.servers ?? []).map((server) => server.name));
				await drop(digest);
			}
			return servers;
		},
	};
}
