import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy } from "../../agent-host/permissions/policy/policy.ts";
import { resolvePolicy } from "../../agent-host/permissions/resolve/resolve-policy.ts";
import { PermissionSettings, type PolicyEntry } from "../../agent-host/protocol/settings/policy-settings.ts";
import { findClosedPlaces } from "../../agent-host/sandbox/reading/closed-places.ts";
import { findWritablePipes } from "../../agent-host/sandbox/reading/writable-pipes.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { INVENTED_SECRETS, KNOWN_SECRETS } from "../support/secret-places.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-reading-"));
after(() => rmSync(parent, { recursive: true, force: true }));
const never = new AbortController().signal;

/** A home folder with these files, a workspace in it, and a way to run commands there. */
function aHome(files: readonly string[], open: { readonly workspace?: string } = {}) {
	const home = mkdtempSync(join(parent, "home-"));
	const own = mkdtempSync(join(parent, "own-"));
	const at = (path: string) => join(home, path);
	for (const file of files) {
		mkdirSync(dirname(at(file)), { recursive: true });
		writeFileSync(at(file), "canary\n");
	}
	const workspace = at(open.workspace ?? "src/project");
	mkdirSync(workspace, { recursive: true });
	const sandbox = createSandbox({ home: own, path: process.env.PATH, folders: [workspace] });
	const run = async (
		script: string,
		given: {
			readonly filesystem?: PolicyEntry[];
			readonly mode?: "readOnly" | "full";
			readonly environment?: Readonly<Record<string, string>>;
		} = {},
	) => {
		const environment = { PATH: process.env.PATH, HOME: home, ...given.environment };
		const { filesystem = [], mode = "workspaceWrite" } = given;
		const policy = resolvePolicy(PermissionSettings.parse({ filesystem, mode }), "never", {
			roots: [workspace],
			trusted: true,
			home,
			temp: [],
			own: [own],
			closed: findClosedPlaces({ home, environment, written: [workspace] }),
			versionControl: [],
		});
		const request = {
			argv: ["/bin/sh", "-c", script],
			cwd: workspace,
			policy,
			digest: digestPolicy(policy),
			environment,
		};
		const limits = policy.limits;
		const ended = await sandbox.run(request, { limits, streams: "kept", input: "closed" }, never);
		assert.equal(ended.state, "ended", JSON.stringify(ended));
		return ended.state === "ended" ? ended.output.text : "";
	};
	return { home, at, run };
}

/** The files of these that a command can read. */
function readableAmong(home: string, files: readonly string[]): string {
	const names = files.map((file) => `'${join(home, file)}'`).join(" ");
	return `for file in ${names}; do cat "$file" >/dev/null 2>&1 && echo "$file"; done; true`;
}

test(`none of ${KNOWN_SECRETS.length} well-known secret places in a home folder, nor ${INVENTED_SECRETS.length} invented ones, can be read`, async () => {
	const files = [...KNOWN_SECRETS, ...INVENTED_SECRETS];
	const { home, run } = aHome(files);
	assert.equal(await run(readableAmong(home, files)), "");
	assert.equal(await run(`ls -A '${home}' 2>/dev/null || echo closed`), "closed\n");
});

test("toolchain files in a home folder can be read, and the credentials beside them cannot", async () => {
	const needed = [
		".cargo/registry/index/x",
		".rustup/toolchains/stable/bin/rustc",
		".nvm/versions/node/v24.0.0/bin/node",
		".npm/_cacache/index-v5/aa",
		".m2/repository/org/x/x.jar",
		".gradle/caches/modules-2/x",
		"go/pkg/mod/x",
		".cache/pip/http/x",
		".gitconfig",
		".config/git/ignore",
	];
	const credentials = [
		".cargo/credentials.toml",
		// Beside programs on PATH, and on no list of known secrets.
		".cargo/mirror-token",
		".m2/settings.xml",
		".gradle/gradle.properties",
		".npmrc",
		".config/git/credentials",
		".config/pip/pip.conf",
	];
	const { home, at, run } = aHome([...needed, ...credentials]);
	mkdirSync(at(".cargo/bin"));
	const environment = { PATH: `${at(".cargo/bin")}:${process.env.PATH}` };
	const output = await run(readableAmong(home, [...needed, ...credentials]), { environment });
	assert.deepEqual(output.trim().split("\n"), needed.map(at));
});

test("a program on PATH in a home folder runs with the rest of its installation, through links too", async () => {
	const { at, run } = aHome(["tools/greet/lib/words", "opt/other/lib/words", "tools/token", ".config/greet/token"]);
	for (const [program, root] of [
		["tools/greet/bin/greet", "tools/greet"],
		["opt/other/bin/other", "opt/other"],
	] as const) {
		mkdirSync(dirname(at(program)), { recursive: true });
		writeFileSync(at(program), `#!/bin/sh\ncat '${at(root)}/lib/words'\n`);
		chmodSync(at(program), 0o755);
	}
	mkdirSync(at(".local/bin"), { recursive: true });
	symlinkSync(at("opt/other/bin/other"), at(".local/bin/other"));
	const PATH = `${at("tools/greet/bin")}:${at(".local/bin")}:${process.env.PATH}`;
	assert.equal(await run("greet; other", { environment: { PATH } }), "canary\ncanary\n");
	const beside = [at("tools/token"), at(".config/greet/token")].join(" ");
	assert.equal(await run(`cat ${beside} 2>/dev/null || echo closed`, { environment: { PATH } }), "closed\n");
});

test("a link that a command makes in the workspace, on PATH or for a variable opens nothing in the home folder", async () => {
	const files = [".config/app/token", "notes/diary", "letters/one", "photos/a", "drafts/b", "old/ignored"];
	const { home, at, run } = aHome(files);
	mkdirSync(at("tools"));
	symlinkSync(at("src/project/chosen"), at("tools/chosen"));
	writeFileSync(at(".gitconfig"), "[include]\n\tpath = ~/src/project/.gitconfig\n");
	const PATH = ["src/project/.venv/bin", "src/project/bin", "tools"].map(at).join(":");
	const environment = {
		PATH: `${PATH}:${process.env.PATH}`,
		VIRTUAL_ENV: at("src/project/.venv"),
		GOROOT: at("src/project/go"),
	};
	const plant = [
		"mkdir -p .venv/bin",
		`ln -s '${at(".config/app/token")}' .venv/bin/a`,
		`ln -s '${at("notes/diary")}' .venv/bin/b`,
		`ln -s '${at("letters")}' bin`,
		`ln -s '${at("photos/a")}' chosen`,
		`ln -s '${at("drafts")}' go`,
		`printf '[core]\\n\\texcludesFile = ~/old/ignored\\n' > .gitconfig`,
	];
	await run(plant.join(" && "), { environment });
	assert.deepEqual(readdirSync(at("src/project/.venv/bin")), ["a", "b"]);
	assert.equal(await run(readableAmong(home, files), { environment }), "");
});

test("a virtual environment in the workspace runs the version manager's Python in the home folder", async () => {
	for (const python of [".pyenv/versions/3.13.0/bin/python", ".local/share/uv/python/cpython-3.13/bin/python"]) {
		const { at, run } = aHome([]);
		mkdirSync(dirname(at(python)), { recursive: true });
		writeFileSync(at(python), "#!/bin/sh\necho ran\n", { mode: 0o755 });
		mkdirSync(at("src/project/.venv/bin"), { recursive: true });
		symlinkSync(at(python), at("src/project/.venv/bin/python"));
		const venv = at("src/project/.venv");
		const environment = { PATH: `${venv}/bin:${process.env.PATH}`, VIRTUAL_ENV: venv };
		assert.equal(await run("python; .venv/bin/python", { environment }), "ran\nran\n");
		assert.equal(await run("(echo x > .venv/bin/git) 2>/dev/null || echo read-only", { environment }), "read-only\n");
	}
});

test("a toolchain moved by a variable is found there, without its credentials, and the command gets the variable", async () => {
	const { at, run } = aHome(["elsewhere/cargo/registry/x", "elsewhere/cargo/credentials.toml"]);
	const environment = { CARGO_HOME: at("elsewhere/cargo") };
	assert.equal(await run('cat "$CARGO_HOME/registry/x"', { environment }), "canary\n");
	assert.equal(await run('cat "$CARGO_HOME/credentials.toml" 2>/dev/null || echo closed', { environment }), "closed\n");
});

test("a file that is closed by a path through a link is closed at its real one, and commands go on", async () => {
	const { run, at } = aHome(["shared/real/secret", "shared/real/plain"]);
	symlinkSync("real", at("shared/link"));
	const filesystem: PolicyEntry[] = [
		{ path: at("shared"), access: "read" },
		{ path: at("shared/link/secret"), access: "none" },
	];
	const script = `cat ${at("shared/link/secret")} ${at("shared/real/secret")} 2>&1; sleep 0.3; cat ${at("shared/link/plain")}`;
	assert.match(await run(script, { filesystem }), /^(?!.*canary)[^\n]+\n(?!.*canary)[^\n]+\ncanary\n$/);
});

test("places that the user named are open, and with full access everything is, except known secrets", async () => {
	const { home, at, run } = aHome(["notes/a.txt", "notes/private/b.txt", "plain.txt", ".ssh/id_ed25519"]);
	const files = ["notes/a.txt", "notes/private/b.txt", "plain.txt", ".ssh/id_ed25519"];
	const filesystem: PolicyEntry[] = [
		{ path: at("notes"), access: "read" },
		{ path: at("notes/private"), access: "none" },
	];
	assert.equal(await run(readableAmong(home, files), { filesystem }), `${at("notes/a.txt")}\n`);
	const all = await run(readableAmong(home, files), { mode: "full" });
	assert.deepEqual(all.trim().split("\n"), files.slice(0, 3).map(at));
});

test("a workspace in the closed home folder can be read in read-only mode, and nothing beside it can", async () => {
	const { home, at, run } = aHome(["src/project/here.txt", "src/other/there.txt", "notes/diary"]);
	const files = ["src/project/here.txt", "src/other/there.txt", "notes/diary"];
	const script = `${readableAmong(home, files)}; (echo x > made) 2>/dev/null || echo read-only`;
	assert.equal(await run(script, { mode: "readOnly" }), `${at("src/project/here.txt")}\nread-only\n`);
});

test("files in a closed home folder are missing rather than denied, so Git does not warn about its settings", async () => {
	const { at, run } = aHome([".config/tool/rc"], { workspace: "../beside-it/project" });
	assert.equal(spawnSync("git", ["init", "--quiet", at("../beside-it/project")]).status, 0);
	const said = await run("git status --short 2>&1; cat ~/.config/tool/rc 2>&1");
	assert.match(said, /^cat: .*: No such file or directory\n$/);
});

test("with the home folder as the workspace its files are open, except known secrets", async () => {
	const { home, at, run } = aHome(["plain.txt", ".ssh/id_ed25519"], { workspace: "." });
	assert.equal(await run(readableAmong(home, ["plain.txt", ".ssh/id_ed25519"])), `${at("plain.txt")}\n`);
});

test("secrets named in the host's environment, and files only root may read, are closed wherever they lie", async () => {
	const { run } = aHome([]);
	const mounted = mkdtempSync(join(parent, "mounted-"));
	const key = join(mounted, "key.json");
	writeFileSync(key, "canary\n");
	const environment = { GOOGLE_APPLICATION_CREDENTIALS: key };
	assert.equal(await run(`cat ${key} 2>/dev/null || echo closed`, { environment }), "closed\n");
	assert.equal(await run("cat /etc/shadow 2>/dev/null || echo closed"), "closed\n");
});

/** The command line's own way, as the current user: root or an ordinary one. */
function atCommandLine(home: string, workspace: string, script: string, filesystem: readonly PolicyEntry[]) {
	const [policy, own] = [join(mkdtempSync(join(parent, "policy-")), "policy.json"), mkdtempSync(join(parent, "own-"))];
	writeFileSync(policy, JSON.stringify({ filesystem }));
	const host = join(import.meta.dirname, "../../dist/agent-host.cjs");
	const args = [host, "sandbox", "--policy", policy, "--cwd", workspace, "--", "sh", "-c", script];
	const env = { PATH: process.env.PATH, HOME: home, VITRINE_HOME: own, TMPDIR: mkdtempSync(join(parent, "tmp-")) };
	const ended = spawnSync(process.execPath, args, { env, encoding: "utf8" });
	assert.equal(ended.status, 0, ended.stderr);
	return ended.stdout;
}

const READ_ALL = { path: ":root", access: "read" } as const;
const WRITE_HERE = { path: ":workspace", access: "write" } as const;

test("on the command line the home folder is closed too, except for toolchains and what the policy names", () => {
	const files = [".ssh/id_ed25519", "notes/diary", ".cargo/registry/index/x", ".cargo/credentials.toml", "shared/a"];
	const { home, at } = aHome(files);
	const workspace = at("src/project");
	const named = [READ_ALL, WRITE_HERE, { path: "~/shared", access: "read" } as const];
	const script = `${readableAmong(home, files)}; echo made > here && cat here`;
	assert.deepEqual(atCommandLine(home, workspace, script, named).trim().split("\n").sort(), [
		at(".cargo/registry/index/x"),
		at("shared/a"),
		"made",
	]);
});

test("on the command line :tmp is the machine's own, and what other programs make there meanwhile stays theirs", () => {
	const { home, at } = aHome([]);
	const workspace = at("src/project");
	const other = join(tmpdir(), `vitrine-other-${process.pid}`);
	const script = `mkdir -p '${other}/.git' '${other}/a/.vscode' && echo x > "$TMPDIR/b" && cat "$TMPDIR/b"`;
	try {
		const shared = [READ_ALL, WRITE_HERE, { path: ":tmp", access: "write" } as const];
		assert.equal(atCommandLine(home, workspace, script, shared), "x\n");
		// Nobody can tell whose they are, so they are left in place, also at the end of the command.
		const left = readdirSync(other, { recursive: true, encoding: "utf8" });
		assert.deepEqual(left.toSorted(), [".git", "a", "a/.vscode"]);
	} finally {
		rmSync(other, { recursive: true, force: true });
	}
});

test("service pipes that a command could write to through a read-only mount are found, at any depth that counts", () => {
	const run = mkdtempSync(join(parent, "run-"));
	mkdirSync(join(run, "service/inner"), { recursive: true });
	const pipes = ["initctl", "service/orders", "service/inner/more"].map((name) => join(run, name));
	for (const pipe of pipes) spawnSync("mkfifo", [pipe]);
	writeFileSync(join(run, "service/file"), "");
	assert.deepEqual(findWritablePipes(run).toSorted(), pipes.toSorted());
});

test("a closed pipe cannot be written, and a merely read-only one can", async () => {
	const { home, run } = aHome([]);
	const [closed, readable] = [join(parent, "closed-pipe"), join(parent, "readable-pipe")];
	for (const pipe of [closed, readable]) spawnSync("mkfifo", [pipe]);
	const tries = (pipe: string) =>
		`(timeout 5 sh -c 'echo order 1<>"${pipe}"' 2>/dev/null && echo written || echo refused)`;
	const filesystem: PolicyEntry[] = [{ path: closed, access: "none" }];
	assert.equal(await run(`${tries(closed)}; ${tries(readable)}`, { filesystem }), "refused\nwritten\n", home);
});
