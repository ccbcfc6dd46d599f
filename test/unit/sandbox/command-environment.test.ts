import assert from "node:assert/strict";
import { test } from "node:test";
import type { Policy } from "../../../agent-host/permissions/policy/policy.ts";
import { escalatePolicy } from "../../../agent-host/permissions/reach/escalate.ts";
import type { EnvironmentPolicy } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { commandEnvironment, withTemporaryAt } from "../../../agent-host/sandbox/command/command-environment.ts";
import { aPolicy } from "../../support/a-policy.ts";

const SECRETS = [
	..."ANTHROPIC_API_KEY OPENAI_API_KEY AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN GITHUB_TOKEN GH_TOKEN".split(
		" ",
	),
	..."NPM_TOKEN NODE_AUTH_TOKEN PYPI_TOKEN TWINE_PASSWORD DOCKER_PASSWORD DATABASE_URL PGPASSWORD MYSQL_PWD".split(" "),
	..."SLACK_TOKEN STRIPE_SECRET_KEY GOOGLE_APPLICATION_CREDENTIALS AZURE_CLIENT_SECRET HTTP_PROXY HTTPS_PROXY".split(
		" ",
	),
	..."http_proxy https_proxy ALL_PROXY VSCODE_IPC_HOOK VSCODE_GIT_ASKPASS_NODE VSCODE_PID ELECTRON_RUN_AS_NODE".split(
		" ",
	),
	..."NODE_OPTIONS SSH_AUTH_SOCK DOCKER_HOST DBUS_SESSION_BUS_ADDRESS DISPLAY WAYLAND_DISPLAY XAUTHORITY".split(" "),
	..."VITRINE_API_KEY LD_PRELOAD LD_LIBRARY_PATH BASH_ENV ENV GIT_ASKPASS PROMPT_COMMAND".split(" "),
];
const PLAIN = {
	PATH: "/usr/bin:/bin",
	HOME: "/home/me",
	LANG: "C.UTF-8",
	LC_ALL: "C",
	TERM: "xterm",
	USER: "me",
	SHELL: "/bin/bash",
};
const CACHES = {
	GOCACHE: "/tmp/caches/go-build",
	CCACHE_DIR: "/tmp/caches/ccache",
	GRADLE_USER_HOME: "/tmp/caches/gradle",
	PIP_CACHE_DIR: "/tmp/caches/pip",
	UV_CACHE_DIR: "/tmp/caches/uv",
	DOTNET_CLI_HOME: "/tmp/caches/dotnet",
	npm_config_logs_dir: "/tmp/caches/npm-logs",
	npm_config_fetch_retries: "0",
	pnpm_config_fetch_retries: "0",
	COMPOSER_CACHE_READ_ONLY: "1",
};
const host = { ...PLAIN, ...Object.fromEntries(SECRETS.map((name) => [name, "canary"])) };

test("from an environment full of secrets a command gets the allow-list, its folder and cache locations (S-40)", () => {
	const found = commandEnvironment(host, offline({ inherit: "allowList", include: [], set: {} }), "/repo");
	assert.deepEqual(found, { ...PLAIN, PWD: "/repo", ...CACHES });
	assert.ok(SECRETS.length >= 40);
});

test("the user's list adds a name, but never a way back into the editor, the host or the desktop", () => {
	const include = ["DATABASE_URL", "VSCODE_IPC_HOOK", "VITRINE_API_KEY", "SSH_AUTH_SOCK", "NODE_OPTIONS", "DISPLAY"];
	const found = commandEnvironment(host, offline({ inherit: "allowList", include, set: {} }), "/repo");
	assert.deepEqual(found, { ...PLAIN, DATABASE_URL: "canary", PWD: "/repo", ...CACHES });
});

test("with nothing inherited the environment holds only what is set, and a path to find programs", () => {
	const found = commandEnvironment(
		host,
		offline({ inherit: "none", include: [], set: { A: "1", "BAD=NAME": "x" } }),
		"/r",
	);
	assert.deepEqual(found, { A: "1", PATH: found.PATH, TERM: "dumb", PWD: "/r" });
	assert.match(found.PATH ?? "", /\/usr\/bin/);
});

test("empty and relative parts of PATH are left out: they mean the folder the command is in (S-43)", () => {
	const policy = offline({ inherit: "allowList", include: [], set: {} });
	// Without temporary files of its own, too: this folder may lie among them.
	for (const one of [policy, { ...policy, temporary: [] }]) {
		assert.equal(commandEnvironment({ PATH: ":.:bin:/usr/bin::" }, one, "/r").PATH, "/usr/bin");
	}
});

test("no program is looked for among the thread's own temporary files, but in a workspace that lies there (S-43)", () => {
	const policy = aPolicy({ places: { roots: ["/tmp/repo"] } });
	const found = commandEnvironment({ PATH: "/tmp/bin:/tmp:/tmp/repo/bin:/usr/bin" }, policy, "/r");
	assert.equal(found.PATH, "/tmp/repo/bin:/usr/bin");
});

test("with some hosts open, every spelling of a proxy variable points to ours, whatever the user's was", () => {
	const network = { kind: "allow", hosts: ["a.example"] } as const;
	const environment = { inherit: "allowList" as const, include: ["HTTPS_PROXY"], set: { http_proxy: "http://other" } };
	const found = commandEnvironment(
		{ HTTPS_PROXY: "http://user:secret@other" },
		{ ...aPolicy(), environment, network },
		"/r",
	);
	const leading = Object.entries(found).filter(([, value]) => value.includes("://"));
	assert.ok(leading.length >= 12);
	assert.deepEqual([...new Set(leading.map(([, value]) => value))], ["http://127.0.0.1:3128"]);
});

test("Git skips maintenance when it writes to a copy, and still uses the proxy if only some hosts are open", () => {
	const settingsIn = (network: Policy["network"]) => {
		const found = commandEnvironment({}, { ...aPolicy(), network }, "/r", "/r/.git");
		const count = Number(found.GIT_CONFIG_COUNT);
		return Array.from({ length: count }, (_, at) => [found[`GIT_CONFIG_KEY_${at}`], found[`GIT_CONFIG_VALUE_${at}`]]);
	};
	const quiet = [
		["gc.auto", "0"],
		["maintenance.auto", "false"],
		["core.splitIndex", "false"],
	];
	assert.deepEqual(settingsIn({ kind: "off" }), quiet);
	const listed = settingsIn({ kind: "allow", hosts: ["a.example"] });
	assert.deepEqual(listed, [["http.proxy", "http://127.0.0.1:3128"], ...quiet]);
});

test("a tool's files in the home folder are named only if they are open, and the user's own values stay", () => {
	const named = (except: readonly string[], set: Readonly<Record<string, string>> = {}) => {
		const policy = offline({ inherit: "allowList", include: [], set });
		const found = commandEnvironment(PLAIN, { ...policy, closed: { places: ["/home/me"], except } }, "/repo");
		return [found.pnpm_config_store_dir, found.GRADLE_RO_DEP_CACHE, found.COMPOSER_CACHE_READ_ONLY];
	};
	const open = ["/home/me/.local/share/pnpm", "/home/me/.gradle/caches"];
	assert.deepEqual(named([]), [undefined, undefined, "1"]);
	assert.deepEqual(named(open), ["/home/me/.local/share/pnpm/store", "/home/me/.gradle/caches", "1"]);
	const set = { pnpm_config_store_dir: "/repo/store", COMPOSER_CACHE_READ_ONLY: "0" };
	assert.deepEqual(named(open, set), ["/repo/store", "/home/me/.gradle/caches", "0"]);
});

test("with the network open, downloads go to the thread's own temporary files as well", () => {
	const network = { kind: "on" } as const;
	const found = commandEnvironment(PLAIN, { ...aPolicy(), network }, "/repo");
	const names =
		"npm_config_cache BUN_INSTALL_CACHE_DIR DENO_DIR YARN_GLOBAL_FOLDER CARGO_HOME GOMODCACHE COMPOSER_CACHE_DIR";
	const places = names.split(" ").map((name) => found[name]);
	assert.ok(
		places.every((place) => place?.startsWith("/tmp/caches/")),
		places.join(" "),
	);
	assert.equal(found.MAVEN_OPTS, "-Dmaven.repo.local=/tmp/caches/maven");
});

test("caches are not moved if nothing can be written, or everything can", () => {
	const closed = { places: ["/home/me"], except: ["/home/me/.local/share/pnpm"] };
	for (const mode of ["readOnly", "full"] as const) {
		const policy = aPolicy({ permissions: { mode }, places: { closed } });
		assert.deepEqual(commandEnvironment(PLAIN, policy, "/repo"), { ...PLAIN, PWD: "/repo" });
	}
	const outside = escalatePolicy(aPolicy({ places: { closed } }));
	assert.deepEqual(commandEnvironment(PLAIN, outside, "/repo"), { ...PLAIN, PWD: "/repo" });
});

test("caches follow the thread's temporary files to another place", () => {
	const policy = aPolicy();
	const moved = withTemporaryAt(commandEnvironment(PLAIN, policy, "/repo"), policy, "/own/thread");
	assert.deepEqual([moved.TMPDIR, moved.GOCACHE], ["/own/thread", "/own/thread/caches/go-build"]);
});

function offline(environment: EnvironmentPolicy) {
	return { ...aPolicy(), environment, network: { kind: "off" } as const };
}
