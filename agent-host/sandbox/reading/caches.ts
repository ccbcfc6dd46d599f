import { join } from "node:path";

/** What a tool writes also when it only builds, as names in the folder for caches. */
const BUILT: Readonly<Record<string, string>> = {
	GOCACHE: "go-build",
	CCACHE_DIR: "ccache",
	GRADLE_USER_HOME: "gradle",
	PIP_CACHE_DIR: "pip",
	UV_CACHE_DIR: "uv",
	DOTNET_CLI_HOME: "dotnet",
	npm_config_logs_dir: "npm-logs",
};

/** Where a tool puts what it fetched. With the network closed it fetches nothing, and what the user has is read instead. */
const FETCHED: Readonly<Record<string, string>> = {
	npm_config_cache: "npm",
	BUN_INSTALL_CACHE_DIR: "bun",
	DENO_DIR: "deno",
	YARN_GLOBAL_FOLDER: "yarn",
	CARGO_HOME: "cargo",
	GOMODCACHE: "go-mod",
	COMPOSER_CACHE_DIR: "composer",
};

/** Maven has no variable for its repository alone. */
const MAVEN = ["MAVEN_OPTS", "-Dmaven.repo.local="] as const;

/** Further places in the home folder that are only read, by the one of the toolchains that must be open. */
const READ_ONLY: readonly (readonly [name: string, toolchain: string, place: string])[] = [
	["GRADLE_RO_DEP_CACHE", ".gradle/caches", ".gradle/caches"],
	["NUGET_FALLBACK_PACKAGES", ".nuget/packages", ".nuget/packages"],
];

/** The same when nothing can be fetched. Otherwise pnpm makes a store of its own beside the project, since links do not reach another mount. */
const READ_ONLY_OFFLINE: typeof READ_ONLY = [["pnpm_config_store_dir", ".local/share/pnpm", ".local/share/pnpm/store"]];

const OFFLINE: Readonly<Record<string, string>> = {
	COMPOSER_CACHE_READ_ONLY: "1",
	// They would wait for more than a minute.
	npm_config_fetch_retries: "0",
	pnpm_config_fetch_retries: "0",
};

export interface CacheNeeds {
	/** A folder that commands can write to, and nobody else. */
	readonly folder: string;
	readonly home: string | undefined;
	/** What of the home folder is open. */
	readonly open: readonly string[];
	readonly network: "off" | "open";
	/** What the user has set. */
	readonly given: Readonly<Record<string, string>>;
	readonly mayWrite: (path: string) => boolean;
}

/**
 * Variables that lead what tools insist on writing away from the home folder, which is only read, to a folder of the thread's own.
 * What the user has set counts where commands may write.
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
