import { join } from "node:path";

/** What a tool writes even when it only builds, as names in the cache folder. */
const BUILT: Readonly<Record<string, string>> = {
	GOCACHE: "go-build",
	CCACHE_DIR: "ccache",
	GRADLE_USER_HOME: "gradle",
	PIP_CACHE_DIR: "pip",
	UV_CACHE_DIR: "uv",
	DOTNET_CLI_HOME: "dotnet",
	npm_config_logs_dir: "npm-logs",
};

/**
 * Where a tool puts downloads. With the network off it downloads nothing, and the user's own files are read instead.
 */
const FETCHED: Readonly<Record<string, string>> = {
	npm_config_cache: "npm",
	BUN_INSTALL_CACHE_DIR: "bun",
	DENO_DIR: "deno",
	YARN_GLOBAL_FOLDER: "yarn",
	CARGO_HOME: "cargo",
	GOMODCACHE: "go-mod",
	COMPOSER_CACHE_DIR: "composer",
};

/** Maven has no separate variable for its repository. */
const MAVEN = ["MAVEN_OPTS", "-Dmaven.repo.local="] as const;

/** Further places in the home folder that are only read, by the toolchain that must be open for them. */
const READ_ONLY: readonly (readonly [name: string, toolchain: string, place: string])[] = [
	["GRADLE_RO_DEP_CACHE", ".gradle/caches", ".gradle/caches"],
	["NUGET_FALLBACK_PACKAGES", ".nuget/packages", ".nuget/packages"],
];

/**
 * The same for offline use. Otherwise pnpm creates another store beside the project, because links cannot cross mounts.
 */
const READ_ONLY_OFFLINE: typeof READ_ONLY = [["pnpm_config_store_dir", ".local/share/pnpm", ".local/share/pnpm/store"]];

const OFFLINE: Readonly<Record<string, string>> = {
	COMPOSER_CACHE_READ_ONLY: "1",
	// Retries would take more than a minute.
	npm_config_fetch_retries: "0",
	pnpm_config_fetch_retries: "0",
};

export interface CacheNeeds {
	/** A folder that only this thread's commands can write to. */
	readonly folder: string;
	readonly home: string | undefined;
	/** The open parts of the home folder. */
	readonly open: readonly string[];
	readonly network: "off" | "open";
	/** The user's own variables. */
	readonly given: Readonly<Record<string, string>>;
	readonly mayWrite: (path: string) => boolean;
}

/**
 * Variables that redirect the writes of tools from the home folder, which is read-only, to a folder of the thread. The
 * user's own values count if commands may write there.
 */
export function cacheVariables(needs: CacheNeeds): Readonly<Record<string, string>> {
	const { folder, home, open, network, given, mayWrite } = needs;
	const isOnline = network === "open";
	const isSet = (name: string) => given[name] !== undefined;
	const written = Object.entries({ ...BUILT, ...(isOnline ? FETCHED : {}) })
		.filter(([name]) => !mayWrite(given[name] ?? ""))
		.map(([name, place]) => [name, join(folder, place)] as const);
	const read = [...READ_ONLY, ...(isOnline ? [] : READ_ONLY_OFFLINE)].flatMap(([name, toolchain, place]) =>
		home === undefined || isSet(name) || !open.includes(join(home, toolchain))
			? []
			: [[name, join(home, place)] as const],
	);
	const options = isOnline ? { [MAVEN[0]]: `${MAVEN[1]}${join(folder, "maven")}` } : OFFLINE;
	const flags = Object.entries(options).filter(([name]) => !isSet(name));
	return Object.fromEntries([...written, ...read, ...flags]);
}
