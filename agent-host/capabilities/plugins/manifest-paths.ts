import * as z from "zod";

const MAX_PATHS = 20;
const MAX_PATH_CHARS = 500;

/** What a manifest can place elsewhere than in the standard folders, which count besides. */
export const PLACED = ["skills", "commands", "agents", "hooks", "mcpServers"] as const;
type Placed = (typeof PLACED)[number];

const Given = z.union([z.string().transform((path) => [path]), z.array(z.string())]);

export interface ManifestPaths {
	/** Relative to the plugin's folder, with slashes. */
	readonly paths: Readonly<Record<Placed, readonly string[]>>;
	/** Servers that the manifest itself defines. */
	readonly servers?: Readonly<Record<string, unknown>>;
	/** One sentence for each that is not used. */
	readonly problems: readonly string[];
}

/** The paths that a manifest names. One that leads out of the plugin is not used. */
export function readManifestPaths(manifest: Readonly<Record<string, unknown>>): ManifestPaths {
	const problems: string[] = [];
	const read = (key: Placed): readonly string[] => {
		const value = Object.hasOwn(manifest, key) ? manifest[key] : undefined;
		if (value === undefined || (key === "mcpServers" && isRecord(value))) return [];
		const given = Given.safeParse(value).data;
		if (given === undefined || given.length > MAX_PATHS) {
			problems.push(`${key} in its manifest is not used: it must be a path, or at most ${MAX_PATHS} of them.`);
			return [];
		}
		return given.flatMap((path) => {
			const within = findWithin(path);
			if (within === undefined)
				problems.push(`A path for ${key} is not used: it must start with ./ and stay inside the plugin.`);
			return within ?? [];
		});
	};
	const paths = {
		...{ skills: read("skills"), commands: read("commands"), agents: read("agents"), hooks: read("hooks") },
		mcpServers: read("mcpServers"),
	};
	const { mcpServers } = manifest;
	return { paths, ...(isRecord(mcpServers) && { servers: mcpServers }), problems };
}

function findWithin(path: string): string | undefined {
	if (!path.startsWith("./") || path.length > MAX_PATH_CHARS || /[\\\0]/.test(path)) return undefined;
	const parts = path.split("/").filter((part) => part !== "" && part !== ".");
	return parts.includes("..") || parts.length === 0 ? undefined : parts.join("/");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
