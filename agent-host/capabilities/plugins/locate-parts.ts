import { posix } from "node:path";
import type { TreeFile } from "../../workspace/files/read-tree.ts";

const SKILL = "SKILL.md";

/** A folder of a plugin, relative to it, and the one name in it that counts, unless all do. */
export interface Located {
	readonly folder: string;
	readonly only?: string;
}

/** Where a plugin has its skills, commands or agents: in the standard folder, and where its manifest says. */
export function locateParts(
	files: readonly TreeFile[],
	kind: "skills" | "commands" | "agents",
	paths: readonly string[],
): { readonly located: readonly Located[]; readonly problems: readonly string[] } {
	const has = (path: string): boolean => files.some((file) => file.path === path);
	const locate = (path: string): Located | undefined => {
		const named = { folder: posix.dirname(path), only: posix.basename(path) };
		if (has(path)) return kind !== "skills" && path.endsWith(".md") ? named : undefined;
		if (kind === "skills" && has(`${path}/${SKILL}`)) return named;
		return files.some((file) => file.path.startsWith(`${path}/`)) ? { folder: path } : undefined;
	};
	const found = [...new Set(paths)].map((path) => ({ path, place: locate(path) }));
	return {
		located: [{ folder: kind }, ...found.flatMap(({ path, place }) => (place && path !== kind ? [place] : []))],
		problems: found.flatMap(({ path, place }) => (place === undefined ? [describeMissing(kind, path)] : [])),
	};
}

const WANTED = {
	...{ skills: "folder", commands: "folder or Markdown file", agents: "folder or Markdown file" },
	...{ hooks: "file", mcpServers: "file" },
} as const;

export function describeMissing(kind: keyof typeof WANTED, path: string): string {
	return `A path for ${kind} is not used: the plugin has no ${WANTED[kind]} ${path}.`;
}
