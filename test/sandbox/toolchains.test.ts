import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy } from "../../agent-host/permissions/policy/policy.ts";
import { resolvePolicy } from "../../agent-host/permissions/resolve/resolve-policy.ts";
import { PermissionSettings } from "../../agent-host/protocol/settings/policy-settings.ts";
import { findClosedPlaces } from "../../agent-host/sandbox/reading/closed-places.ts";
import { TOOLCHAINS } from "../../agent-host/sandbox/reading/toolchains.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-toolchains-"));
after(() => rmSync(parent, { recursive: true, force: true }));

/** A home folder with these files, a workspace in it, and a way to run commands there, with temporary files of their own. */
function aHome(files: Readonly<Record<string, string>>) {
	const home = mkdtempSync(join(parent, "home-"));
	const [own, temp] = [mkdtempSync(join(parent, "own-")), mkdtempSync(join(parent, "temp-"))];
	const at = (path: string) => join(home, path);
	for (const [file, text] of Object.entries(files)) {
		mkdirSync(dirname(at(file)), { recursive: true });
		writeFileSync(at(file), text);
		if (text.startsWith("#!")) chmodSync(at(file), 0o755);
	}
	const workspace = at("src/project");
	mkdirSync(workspace, { recursive: true });
	const sandbox = createSandbox({ home: own, path: process.env.PATH, folders: [workspace] });
	const PATH = [at("tool/bin"), dirname(process.execPath), process.env.PATH].join(":");
	const run = async (
		script: string,
		given: { network?: "on"; environment?: Readonly<Record<string, string>> } = {},
	) => {
		const environment = { PATH, HOME: home, ...given.environment };
		const policy = resolvePolicy(PermissionSettings.parse({ network: given.network ?? "off" }), "never", {
			roots: [workspace],
			trusted: true,
			home,
			temp: [temp],
			own: [own],
			closed: findClosedPlaces({ home, environment, written: [workspace] }),
			versionControl: [],
		});
		const argv = ["/bin/sh", "-c", script];
		const request = { argv, cwd: workspace, policy, digest: digestPolicy(policy), environment };
		const options = { limits: policy.limits, streams: "kept", input: "closed" } as const;
		const ended = await sandbox.run(request, options, new AbortController().signal);
		assert.equal(ended.state, "ended", JSON.stringify(ended));
		return ended.state === "ended" ? ended.output.text : "";
	};
	return { home, at, workspace, run };
}

/** Like a compiler that does nothing without its cache. */
const COMPILER = `#!/bin/sh
cache=\${GOCACHE:-$HOME/.cache/go-build}
mkdir -p "$cache" && echo built >> "$cache/log" && cat "$cache/log"
`;

/** Like a package manager: what it has it takes, and what it fetches it keeps. */
const MANAGER = `#!/bin/sh
cache=\${npm_config_cache:-$HOME/.npm}/_cacache
if [ -f "$cache/package" ]; then cat "$cache/package"; exit; fi
mkdir -p "$cache" && echo fetched > "$cache/package" && cat "$cache/package"
`;

test("a tool that insists on writing its cache gets the thread's own, kept between commands", async () => {
	const { at, run } = aHome({ "tool/bin/compile": COMPILER, ".cache/go-build/log": "the user's\n" });
	assert.equal(await run("compile"), "built\n");
	assert.equal(await run("compile"), "built\nbuilt\n");
	const moved = { GOCACHE: at("elsewhere") };
	assert.equal(await run("compile", { environment: moved }), "built\nbuilt\nbuilt\n");
	const inWorkspace = { GOCACHE: at("src/project/cache") };
	assert.equal(await run("compile", { environment: inWorkspace }), "built\n");
});

test("with the network closed a package manager uses the user's cache, and with it on fills one of its own", async () => {
	const { run } = aHome({ "tool/bin/manage": MANAGER, ".npm/_cacache/package": "the user's\n" });
	assert.equal(await run("manage"), "the user's\n");
	assert.equal(await run("manage", { network: "on" }), "fetched\n");
});

test("Git knows the user, ignore rules and included files, but no secret in an included file", async () => {
	const { home, at, workspace, run } = aHome({
		"dotfiles/gitconfig":
			"[alias]\n\tst = status --short\n[core]\n\texcludesFile = ~/my-ignored\n[include]\n\tpath = ~/my-work\n\tpath = ~/my-token\n[commit]\n\ttemplate = ~/my-folder\n",
		"my-ignored": "*.tmp\n",
		"my-work": "[user]\n\tname = Me\n",
		"my-token": '[github]\n\ttoken = canary\n[user]\n\temail = "me@example.org"\n',
		"my-folder/token": "canary\n",
	});
	symlinkSync(at("dotfiles/gitconfig"), at(".gitconfig"));
	execFileSync("git", ["init", "-q", workspace], { env: { ...process.env, HOME: home } });
	assert.equal(await run("touch a.tmp b.txt; git st; git config user.name"), "?? b.txt\nMe\n");
	const closed = [at("my-token"), at("my-folder/token"), at("dotfiles/other")].join(" ");
	assert.equal(await run(`cat ${closed} 2>/dev/null; git config user.email || echo closed`), "closed\n");
});

test("a certificate of the user's own authority is passed on and can be read", async () => {
	const { at, run } = aHome({ "certificates/ours.pem": "public\n", "certificates/ours.key": "canary\n" });
	const environment = { NODE_EXTRA_CA_CERTS: at("certificates/ours.pem") };
	assert.equal(await run('cat "$NODE_EXTRA_CA_CERTS"', { environment }), "public\n");
	assert.equal(await run(`cat ${at("certificates/ours.key")} 2>/dev/null || echo closed`, { environment }), "closed\n");
});

test("programs that ask for network interfaces see only the sandbox's own", async () => {
	const { run } = aHome({});
	const ask = "node -p 'Object.keys(os.networkInterfaces()).join()'";
	assert.equal(await run(ask), "lo\n");
});

test("the control groups that a command sees are where it is told", async () => {
	const { run } = aHome({});
	// Java ends where a mount of theirs begins above what it may know of.
	assert.equal(await run("grep -E '^[^-]* /\\.\\.[^ ]* .* - cgroup' /proc/self/mountinfo || echo none"), "none\n");
});

test("on the command line tools have a cache for as long as the command runs", () => {
	const { home, workspace } = aHome({ "tool/bin/compile": COMPILER });
	const policy = join(mkdtempSync(join(parent, "policy-")), "policy.json");
	const TMPDIR = mkdtempSync(join(parent, "temp-"));
	const writable = [":workspace", TMPDIR].map((path) => ({ path, access: "write" }));
	writeFileSync(policy, JSON.stringify({ filesystem: [{ path: "/", access: "read" }, ...writable] }));
	const host = join(import.meta.dirname, "../../dist/agent-host.cjs");
	const ended = spawnSync(
		process.execPath,
		[host, "sandbox", "--policy", policy, "--cwd", workspace, "--", "sh", "-c", 'compile && echo "$GOCACHE"'],
		{ env: { ...process.env, HOME: home, TMPDIR, PATH: `${home}/tool/bin:${process.env.PATH}` }, encoding: "utf8" },
	);
	const [built, place = ""] = ended.stdout.split("\n");
	assert.equal(built, "built", ended.stderr);
	assert.equal(dirname(dirname(place)), TMPDIR);
	assert.deepEqual(readdirSync(TMPDIR), []);
	assert.equal(existsSync(join(home, ".cache")), false);
});

test("a user with more toolchains than are opened still has the Git configuration", async () => {
	const many = Object.entries(TOOLCHAINS).flatMap(([name, parts]) =>
		parts === "all" && !name.startsWith(".git") ? [`${name}/x`] : [],
	);
	const files = Object.fromEntries(many.map((name) => [name, "x\n"]));
	const { run } = aHome({ ...files, ".gitconfig": "[core]\n\texcludesFile = ~/mine\n", mine: "*.tmp\n" });
	assert.ok(many.length > 50);
	assert.equal(await run("cat ~/mine; git config core.excludesFile"), "*.tmp\n~/mine\n");
});
