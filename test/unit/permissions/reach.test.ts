import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { digestPolicy, type Policy } from "../../../agent-host/permissions/policy/policy.ts";
import { NESTED_NAMES, PROTECTED_NAMES } from "../../../agent-host/permissions/policy/protected-names.ts";
import { escalatePolicy } from "../../../agent-host/permissions/reach/escalate.ts";
import {
	accessTo,
	closesBelow,
	createAccess,
	enforcedAccess,
	grantedAt,
	isInside,
	isProtectedName,
	mayWrite,
	protectedInEdit,
	protectedPart,
} from "../../../agent-host/permissions/reach/reach.ts";
import { PermissionSettings, type PolicyEntry } from "../../../agent-host/protocol/settings/policy-settings.ts";
import { aPolicy } from "../../support/a-policy.ts";

test("the most specific path wins, so a child of a closed folder can be opened again", () => {
	const entries: readonly PolicyEntry[] = [
		{ path: "/", access: "read" },
		{ path: "/repo", access: "write" },
		{ path: "/repo/a", access: "none" },
		{ path: "/repo/a/b", access: "write" },
	];
	const found = ["/etc/x", "/repo/x", "/repo/a/x", "/repo/a/b/x", "/repo/ab"].map((path) => grantedAt(entries, path));
	assert.deepEqual(found, ["read", "write", "none", "write", "write"]);
});

test("among entries for one path, none overrides write and write overrides read, in any order", () => {
	const all: readonly PolicyEntry[] = (["read", "write", "none"] as const).map((access) => ({ path: "/a", access }));
	assert.equal(grantedAt(all, "/a/b"), "none");
	assert.equal(grantedAt(all.slice(0, 2), "/a/b"), "write");
	assert.equal(grantedAt([...all].reverse(), "/a/b"), "none");
});

const anEntry = fc.record({
	path: fc.constantFrom("/", "/a", "/a/b", "/a/b/c", "/x", "/a/bc"),
	access: fc.constantFrom("none" as const, "read" as const, "write" as const),
});

test("the order of entries never matters, and a path that none covers is closed", () => {
	fc.assert(
		fc.property(fc.array(anEntry), fc.constantFrom("/a/b/c/d", "/a/q", "/x/y", "/z"), (entries, path) => {
			assert.equal(grantedAt(entries, path), grantedAt([...entries].reverse(), path));
			if (!entries.some((entry) => isInside(path, entry.path))) assert.equal(grantedAt(entries, path), "none");
		}),
	);
});

const PLACES = ["/", "/a", "/a/b", "/a/b/c", "/a/b/c/d", "/a/bc", "/x"];

test("access to many paths, computed folder by folder, equals that of each alone", () => {
	const aPlace = fc.constantFrom(...PLACES);
	const aGlob = fc.constantFrom("**/c", "/a/*/q", "**/*.env").map((path) => ({ path, access: "none" as const }));
	const policies = fc.record({
		filesystem: fc.array(fc.oneof({ weight: 4, arbitrary: anEntry }, aGlob)),
		secrets: fc.array(aPlace, { maxLength: 2 }),
		closed: fc.record({ places: fc.array(aPlace, { maxLength: 3 }), except: fc.array(aPlace, { maxLength: 3 }) }),
	});
	const paths = PLACES.flatMap((folder) => ["b", "c", "q", ".env", "a.env"].map((name) => join(folder, name)));
	fc.assert(
		fc.property(policies, fc.shuffledSubarray(paths), (policy, some) => {
			const access = createAccess(policy);
			for (const path of [...paths, ...some]) assert.equal(access(path), accessTo(policy, path), path);
		}),
	);
});

test("a glob closes what it matches and everything below, whatever else grants it", () => {
	const policy = aPolicy({ permissions: { denyRead: ["**/.env", "/repo/*/keys"] } });
	for (const path of ["/repo/.env", "/repo/x/.env", "/repo/x/keys", "/repo/x/keys/one"]) {
		assert.equal(accessTo(policy, path), "none", path);
	}
	assert.equal(accessTo(policy, "/repo/x/y/keys"), "write");
});

test("a secret place can be opened by naming it or something below it, and only that", () => {
	const policy = aPolicy({ permissions: { filesystem: [{ path: "~/.aws/config", access: "read" }] } });
	assert.equal(accessTo(policy, "/home/me/.aws/config"), "read");
	assert.equal(accessTo(policy, "/home/me/.aws/credentials"), "none");
});

test("protected names are protected in every spelling of their letters (S-07)", () => {
	const policy = aPolicy();
	const name = fc.constantFrom(...PROTECTED_NAMES.map((pattern) => pattern.replace("*", "any")));
	const anyCase = name.chain((text) =>
		fc
			.array(fc.boolean(), { minLength: text.length, maxLength: text.length })
			.map((upper) => [...text].map((letter, index) => (upper[index] ? letter.toUpperCase() : letter)).join("")),
	);
	fc.assert(
		fc.property(anyCase, (spelling) => {
			assert.equal(protectedPart(policy, `/repo/${spelling}/x`), `/repo/${spelling}`);
			assert.equal(mayWrite(policy, `/repo/${spelling}`), false);
		}),
		{ numRuns: 300 },
	);
});

test("a protected name with invisible or look-alike characters is still protected", () => {
	const spellings = [
		".g\u200Bit",
		".git\uFEFF",
		".\u00ADgit",
		".vs\u2060code",
		"\u{E0041}.git",
		".ｇｉｔ",
		".ＧＩＴ",
		".G\u200Bit",
	];
	for (const name of spellings) assert.equal(mayWrite(aPolicy(), `/repo/${name}`), false, JSON.stringify(name));
	assert.equal(mayWrite(aPolicy(), "/repo/.gitx"), true);
});

test("in a folder for temporary files no name is protected, unless it is a workspace folder itself", () => {
	const shared = aPolicy({ permissions: { writableRoots: [":tmp"] } });
	assert.equal(mayWrite(shared, "/tmp/.git/config"), true);
	assert.equal(mayWrite(aPolicy({ places: { roots: ["/tmp"] } }), "/tmp/.git/config"), false);
});

test("commands see nothing in a real folder for temporary files except what is open or named there (H5)", () => {
	const seen = (policy: Policy) =>
		["/tmp", "/tmp/x", "/tmp/repo/a", "/tmp/cache/a"].map((path) => enforcedAccess(policy, path));
	const places = { roots: ["/tmp/repo"] };
	const writableRoots = ["/tmp/cache"];
	assert.deepEqual(seen(aPolicy()), ["none", "none", "none", "none"]);
	assert.deepEqual(seen(aPolicy({ places, permissions: { writableRoots } })), ["none", "none", "write", "write"]);
	assert.deepEqual(seen(aPolicy({ places, permissions: { mode: "readOnly" } })), ["none", "none", "read", "none"]);
	assert.deepEqual(seen(aPolicy({ permissions: { mode: "full" } })), ["write", "write", "write", "write"]);
	assert.deepEqual(seen(escalatePolicy(aPolicy())), ["write", "write", "write", "write"]);
});

test("commands share a folder for temporary files if the user names it, opens it, or opens a folder that holds it", () => {
	const isShared = (change: Parameters<typeof aPolicy>[0]) => aPolicy(change).temporary.length === 0;
	assert.equal(isShared({}), false);
	assert.equal(isShared({ permissions: { writableRoots: [":tmp"] } }), true);
	assert.equal(isShared({ permissions: { filesystem: [{ path: "/tmp", access: "read" }] } }), true);
	assert.equal(isShared({ places: { temp: ["/repo/tmp"] } }), true);
	assert.equal(isShared({ places: { temp: ["/repo/tmp"] }, permissions: { mode: "readOnly" } }), true);
});

test("with the home folder as the workspace, the editor's settings and extensions stay the user's (S-06)", () => {
	const policy = aPolicy({ places: { roots: ["/home/me"] } });
	const asked = [
		"/.config/Code/User/settings.json",
		"/.vscode-server/extensions/x/main.js",
		"/.config/other",
		"/projects/a",
	];
	assert.deepEqual(
		asked.map((path) => mayWrite(policy, `/home/me${path}`)),
		[false, false, true, true],
	);
	assert.deepEqual(aPolicy().protect.paths, []);
});

test("with the home folder as the workspace, files that shells, desktop, Git and editors run at start are protected (L4)", () => {
	const policy = aPolicy({ places: { roots: ["/home/me"] } });
	const started = [
		".bashrc",
		".zshenv",
		".profile",
		".gitconfig",
		".config/autostart/x.desktop",
		".config/systemd/user/x",
	];
	for (const path of [...started, ".local/bin/ls", ".config/fish/config.fish", ".vimrc", ".xprofile"])
		assert.equal(mayWrite(policy, `/home/me/${path}`), false, path);
	assert.deepEqual(aPolicy().protect.paths, []);
});

test("files that act when a folder is opened or entered are protected; files that run with a build or test are not (L4)", () => {
	const opened = [
		".zed/tasks.json",
		".helix/languages.toml",
		".vs/tasks.vs.json",
		".cargo/config.toml",
		"mise.toml",
		".mise.local.toml",
		".exrc",
	];
	const consoles = [".Rprofile", ".Renviron", ".irbrc", "_irbrc", ".pryrc", ".vimrc", ".gvimrc"];
	const otherConsoles = [".ghci", ".ocamlinit", ".iex.exs", ".octaverc"];
	const debuggers = [".gdbinit", ".lldbinit", ".pdbrc", ".perldb", ".rdbgrc", ".byebugrc"];
	for (const path of [...opened, ...consoles, ...otherConsoles, ...debuggers, ".nvim.lua", ".dir-locals.el", ".envrc"])
		assert.equal(mayWrite(aPolicy(), `/repo/${path}`), false, path);
	const built = ["package.json", "Makefile", "tsconfig.json", "eslint.config.js", ".eslintrc.json", "conftest.py"];
	for (const path of [...built, ".prettierrc.js", "lefthook.yml", ".pre-commit-config.yaml"])
		assert.equal(mayWrite(aPolicy(), `/repo/${path}`), true, path);
});

test("version control of every kind is protected at any depth", () => {
	for (const name of [".git", ".hg", ".svn", ".jj", ".sl", ".bzr", ".pijul"]) {
		assert.equal(mayWrite(aPolicy(), `/repo/${name}/config`), false, name);
		assert.equal(isProtectedName(NESTED_NAMES, name), true, name);
	}
});

test("files that other agents follow or run are protected at any depth", () => {
	const files = [
		"AGENT.md AGENTS.md QWEN.md opencode.json opencode.jsonc .opencode.json crush.json .crush.json .aider.conf.yml .rules .windsurfrules",
		".goosehints .roomodes .opencode/plugins/a.ts .kiro/settings/mcp.json .amazonq/mcp.json .junie/guidelines.md .qwen/settings.json",
		".trae/rules/a.md .windsurf/rules/a.md .grok/rules/a.md .kilocode/mcp.json .augment/rules/a.md .factory/mcp.json",
		".agent/rules/a.md .pi/extensions/a.ts .pi/settings.json .openhands/setup.sh WARP.md .warp/workflows/a.yaml .qoder/rules/a.md .lingma/rules/a.md",
		".iflow/settings.json IFLOW.md .codebuddy/settings.json CODEBUDDY.md .tabnine/mcp_servers.json .zencoder/rules/a.md .rovodev/mcp.json",
		".aiassistant/rules/a.md .vibe/config.toml .forge/agents/a.md .roorules .roorules-code .kilocoderules-code .kilocodemodes",
		".continuerules CRUSH.md .theia/tasks.json .idx/dev.nix .codesandbox/tasks.json .replit",
	].flatMap((line) => line.split(" "));
	for (const file of files) {
		assert.equal(mayWrite(aPolicy(), `/repo/${file}`), false, file);
		assert.notEqual(protectedInEdit(aPolicy(), `/repo/packages/one/${file}`), undefined, file);
		assert.equal(isProtectedName(NESTED_NAMES, file.split("/")[0] ?? ""), true, file);
	}
	for (const file of [
		"agent-notes.txt",
		"opencode.md",
		"docs/rules",
		"rules",
		"qwen.ts",
		"forge.ts",
		".slug",
		".pipeline",
	])
		assert.equal(mayWrite(aPolicy(), `/repo/${file}`), true, file);
});

test("an entry that names a protected folder opens it, and nothing beside it", () => {
	const policy = aPolicy({ permissions: { filesystem: [{ path: "/repo/.github", access: "write" }] } });
	assert.equal(mayWrite(policy, "/repo/.github/workflows/ci.yml"), true);
	assert.equal(mayWrite(policy, "/repo/.vscode/tasks.json"), false);
});

test("a path that merely starts alike is not inside, and one that starts with two dots is", () => {
	assert.equal(isInside("/repository/a", "/repo"), false);
	assert.equal(isInside("/repo/...", "/repo"), true);
	assert.equal(isInside("/repo/..", "/repo"), false);
});

test("a policy entry that cannot be understood is refused, never left out (S-11)", () => {
	for (const path of ["relative/path", ":unknown", "/a/../b", "", "/a\0b"]) {
		assert.equal(PermissionSettings.safeParse({ filesystem: [{ path, access: "none" }] }).success, false, path);
	}
	assert.equal(PermissionSettings.safeParse({ filesystem: [{ path: "/repo/*", access: "write" }] }).success, false);
	assert.equal(PermissionSettings.safeParse({ writableRoots: ["/repo/*"] }).success, false);
});

test("an allow-list without a host opens no network", () => {
	assert.deepEqual(aPolicy({ permissions: { network: "allowList" } }).network, { kind: "off" });
});

test("the digest is the same for the same policy and another for any other", () => {
	assert.equal(digestPolicy(aPolicy()), digestPolicy(aPolicy()));
	const others = [
		aPolicy({ permissions: { mode: "ask" } }),
		aPolicy({ permissions: { network: "on" } }),
		aPolicy({ approval: "never" }),
		aPolicy({ permissions: { denyRead: ["/repo/x"] } }),
		aPolicy({ places: { trusted: false } }),
	];
	assert.equal(new Set([aPolicy(), ...others].map(digestPolicy)).size, others.length + 1);
});

test("a policy counts as closing something below a folder if a secret, an entry or any pattern may be there", () => {
	const closes = (closed: readonly string[], folder: string) => {
		const filesystem = closed.map((path): PolicyEntry => ({ path, access: "none" }));
		return closesBelow(
			{ filesystem: [{ path: "/ws", access: "write" }, ...filesystem], secrets: ["/home/u/.ssh"] },
			folder,
		);
	};
	assert.deepEqual(
		[closes(["/else"], "/ws"), closes([], "/home/u"), closes(["/ws/a/shut"], "/ws"), closes(["**/*.pem"], "/ws")],
		[false, true, true, true],
	);
});
