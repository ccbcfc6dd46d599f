const MAX_GIVEN = 20;
const MAX_PATH_CHARS = 500;
const INVISIBLE_OR_BACKSLASH = /[\\\p{Cc}\p{Default_Ignorable_Code_Point}]/u;

/** What a manifest can place elsewhere than in the standard folders, which count besides. */
export const PLACED = ["skills", "commands", "agents", "hooks", "mcpServers"] as const;
type Placed = (typeof PLACED)[number];

/** What a manifest can also define itself. */
const DEFINED: readonly Placed[] = ["hooks", "mcpServers"];

export interface ManifestPaths {
	/** Relative to the plugin's folder, with slashes. */
	readonly paths: Readonly<Record<Placed, readonly string[]>>;
	/** Definitions in the manifest itself, as they are written there. */
	readonly inline: Readonly<Record<"hooks" | "mcpServers", readonly Definition[]>>;
	/** One sentence for each that is not used. */
	readonly problems: readonly string[];
}

type Definition = Readonly<Record<string, unknown>>;

/** The paths that a manifest names, and what it defines in place of a path. A path that leads out of the plugin is not used. */
export function readManifestPaths(manifest: Definition): ManifestPaths {
	const all = mapPlaced((key) => (Object.hasOwn(manifest, key) ? readGiven(key, manifest[key]) : NOTHING_GIVEN));
	return {
		paths: mapPlaced((key) => all[key].paths),
		inline: { hooks: all.hooks.inline, mcpServers: all.mcpServers.inline },
		problems: PLACED.flatMap((key) => all[key].problems),
	};
}

interface Given {
	readonly paths: readonly string[];
	readonly inline: readonly Definition[];
	readonly problems: readonly string[];
}

const NOTHING_GIVEN: Given = { paths: [], inline: [], problems: [] };

/** One path or definition, or a list of them. */
function readGiven(key: Placed, value: unknown): Given {
	const given: readonly unknown[] = Array.isArray(value) ? value : [value];
	const isDefinition = (one: unknown): one is Definition => DEFINED.includes(key) && isRecord(one);
	if (given.length > MAX_GIVEN || given.some((one) => typeof one !== "string" && !isDefinition(one))) {
		const wanted = DEFINED.includes(key) ? "a path or a definition" : "a path";
		return {
			...NOTHING_GIVEN,
			problems: [`${key} in its manifest is not used: it must be ${wanted}, or at most ${MAX_GIVEN} of them.`],
		};
	}
	const within = given.filter((one) => typeof one === "string").map(findWithin);
	const outside = `A path for ${key} is not used: it must start with ./ and stay inside the plugin.`;
	return {
		paths: within.filter((path) => path !== undefined),
		inline: given.filter(isDefinition),
		problems: within.flatMap((path) => (path === undefined ? [outside] : [])),
	};
}

function findWithin(path: string): string | undefined {
	if (!path.startsWith("./") || path.length > MAX_PATH_CHARS || INVISIBLE_OR_BACKSLASH.test(path)) return undefined;
	const parts = path.split("/").filter((part) => part !== "" && part !== ".");
	return parts.includes("..") || parts.length === 0 ? undefined : parts.join("/");
}

function mapPlaced<Value>(valueFor: (key: Placed) => Value): Record<Placed, Value> {
	return {
		...{ skills: valueFor("skills"), commands: valueFor("commands"), agents: valueFor("agents") },
		...{ hooks: valueFor("hooks"), mcpServers: valueFor("mcpServers") },
	};
}

function isRecord(value: unknown): value is Definition {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}
