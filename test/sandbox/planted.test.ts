import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
	appendFileSync,
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy, type Policy } from "../../agent-host/permissions/policy/policy.ts";
import { NOTHING_CLOSED } from "../../agent-host/permissions/reach/reach.ts";
import { resolvePolicy } from "../../agent-host/permissions/resolve/resolve-policy.ts";
import { PermissionSettings } from "../../agent-host/protocol/settings/policy-settings.ts";
import { createProcesses } from "../../agent-host/sandbox/command/processes.ts";
import { cleanUpDeadHosts, createGuardJournal } from "../../agent-host/sandbox/protect/guard-journal.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";
import { git, makeRepositories, PLANTED_IN, PLANTINGS, withTrap } from "../support/plantings.ts";
import { type Fixture, makeFixture, policyFor } from "./probes/fixture.ts";

const parent = mkdtempSync(join(tmpdir(), "vitrine-planted-"));
after(() => rmSync(parent, { recursive: true, force: true }));

const held = { sandbox: { text: "as the test says" }, containment: "sandboxed" } as const;
const never = new AbortController().signal;

/** A workspace, and a way to run commands in it. `git` runs outside the sandbox, as the user's or the editor's does. */
function aWorkspace(files: Readonly<Record<string, string>> = {}) {
	const fixture = makeFixture(parent, process.getuid?.() ?? 0);
	const at = (path: string) => join(fixture.workspace, path);
	rmSync(at(".git"), { recursive: true });
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(at(path)), { recursive: true });
		writeFileSync(at(path), text);
	}
	const sandbox = createSandbox({ home: fixture.own, path: process.env.PATH, folders: [fixture.workspace] });
	const processes = createProcesses(sandbox);
	after(() => processes.close());
	const sandboxed = (policy: Policy, script: string, yieldMs?: number) => {
		const request = {
			argv: ["/bin/bash", "-c", script],
			cwd: fixture.workspace,
			policy,
			digest: digestPolicy(policy),
			environment: { ...process.env, TMPDIR: join(fixture.folder, "tmp") },
		};
		return processes.run("thread", request, { held, timeoutMs: undefined, yieldMs }, never);
	};
	const start = (script: string, yieldMs?: number) => sandboxed(policyFor(fixture, {}), script, yieldMs);
	return { fixture, at, sandboxed, run: async (script: string) => notRefused(await start(script)), start, processes };
}

function notRefused<T extends { readonly state: string }>(report: T): Exclude<T, { readonly state: "refused" }> {
	assert.notEqual(report.state, "refused", JSON.stringify(report));
	return report as Exclude<T, { readonly state: "refused" }>;
}

/** A program that leaves a mark when it is run, and the mark. */
function aTrap(fixture: Fixture) {
	const mark = join(fixture.folder, "the trap was sprung");
	return { mark, program: `touch '${mark}'` };
}

/** What the user's Git and prompt do in every folder of the workspace that holds anything. */
function walkThrough(workspace: string): void {
	const entries = readdirSync(workspace, { recursive: true, withFileTypes: true });
	for (const folder of new Set([workspace, ...entries.map(({ parentPath }) => parentPath)])) {
		try {
			git(folder, "status");
		} catch {
			// Not a repository, or a broken one; what counts is what was run on the way.
		}
	}
}

for (const [what, script] of Object.entries(PLANTINGS)) {
	test(`after a command plants a program in ${what}, nothing is left that Git runs`, async () => {
		const { fixture, at, run } = aWorkspace(PLANTED_IN);
		makeRepositories(fixture.workspace);
		const { mark, program } = aTrap(fixture);
		const before = readFileSync(at("lib/.git/config"), "utf8");
		await run(withTrap(script, program));
		walkThrough(fixture.workspace);
		assert.equal(existsSync(mark), false, "Git has run what the command had planted");
		assert.equal(readFileSync(at("lib/.git/config"), "utf8"), before);
		assert.match(git(at("lib"), "status"), /On branch/, "the user's own repository works as before");
		assert.match(git(at("tree"), "status"), /On branch/);
	});
}

/** Ways in which the user's Git obeys a file that lies beside the Git directory: how it came about, a planting, a use. */
const LED: Readonly<Record<string, readonly [make: string, plant: string, use: string]>> = {
	"the target of a hook that is a link": [
		"git init -q r; mkdir -p r/scripts r/.git/hooks; echo > r/scripts/check; chmod +x r/scripts/check; ln -s ../../scripts/check r/.git/hooks/post-index-change",
		'echo "$SCRIPT" > r/scripts/check',
		"git -C r add .",
	],
	"the target of a hook among thousands of files": [
		"git init -q r; mkdir -p r/scripts r/.git/hooks; (cd r/.git/hooks && seq 20000 | xargs touch); echo > r/scripts/check; chmod +x r/scripts/check; ln -s ../../scripts/check r/.git/hooks/post-index-change",
		'echo "$SCRIPT" > r/scripts/check',
		"git -C r add .",
	],
	"the target of a hook in a folder that the configuration names": [
		"git init -q r; git -C r config core.hooksPath hooks; mkdir -p r/hooks r/scripts; echo > r/scripts/check; chmod +x r/scripts/check; ln -s ../scripts/check r/hooks/post-index-change",
		'echo "$SCRIPT" > r/scripts/check',
		"git -C r add .",
	],
	"a folder of hooks behind a link": [
		"git init -q r; mkdir r/shared; rm -rf r/.git/hooks; ln -s ../shared r/.git/hooks",
		'echo "$SCRIPT" > r/shared/post-index-change; chmod +x r/shared/*',
		"git -C r add .",
	],
	"a missing folder of hooks behind a link": [
		"git init -q r; rm -rf r/.git/hooks; ln -s ../shared r/.git/hooks",
		'mkdir r/shared; echo "$SCRIPT" > r/shared/post-index-change; chmod +x r/shared/*',
		"git -C r add .",
	],
	"a missing folder of hooks to which a command makes a way": [
		"git init -q r; git -C r config core.hooksPath tools/git/hooks",
		'mkdir -p r/x r/y/hooks; ln -sfn x r/tools; ln -sfn ../y r/x/git; echo "$SCRIPT" > r/y/hooks/post-index-change; chmod +x r/y/hooks/*',
		"git -C r add .",
	],
	"a missing folder of hooks in a folder behind a link": [
		"git init -q r; git -C r config core.hooksPath tools/git/hooks; mkdir r/x; ln -s x r/tools",
		'mkdir -p r/x/git/hooks; echo "$SCRIPT" > r/x/git/hooks/post-index-change; chmod +x r/x/git/hooks/*',
		"git -C r add .",
	],
	"a folder of hooks to which a turned link leads": [
		"git init -q r; git -C r config core.hooksPath tools/git/hooks; mkdir r/x; ln -s x r/tools",
		'mkdir -p r/y/git/hooks; echo "$SCRIPT" > r/y/git/hooks/post-index-change; chmod +x r/y/git/hooks/*; ln -sfn y r/tools',
		"git -C r add .",
	],
	"a folder of hooks behind a link that leads to nothing": [
		"git init -q r; git -C r config core.hooksPath tools; ln -s x r/tools",
		'mkdir -p r/x; echo "$SCRIPT" > r/x/post-index-change; chmod +x r/x/*',
		"git -C r add .",
	],
	"a missing file of configuration in a folder behind a link": [
		"git init -q r; git -C r config include.path ../conf/more; mkdir r/c; ln -s c r/conf",
		'echo "$CONFIG" > r/c/more',
		"git -C r status",
	],
	"a configuration behind a link": [
		"git init -q r; mv r/.git/config r/config; ln -s ../config r/.git/config",
		'echo "$CONFIG" >> r/config',
		"git -C r status",
	],
	"the directory that a Git directory shares": [
		"git init -q r; mkdir store; mv r/.git/config r/.git/objects r/.git/refs store; echo ../../store > r/.git/commondir",
		'echo "$CONFIG" >> store/config',
		"git -C r status",
	],
	"the configuration of its own that a worktree elsewhere has": [
		"git init -q; git -c user.name=n -c user.email=e@example.org commit -q --allow-empty -m one; git config extensions.worktreeConfig true; git worktree add -q ../outside/tree; mkdir tools; git -C ../outside/tree config --worktree core.hooksPath $PWD/tools",
		'echo "$SCRIPT" > tools/post-index-change; chmod +x tools/*',
		"touch ../outside/tree/new; git -C ../outside/tree add .",
	],
	"a file that the second section of a line includes": [
		"git init -q r; echo '[core][include] path = ../more' >> r/.git/config; touch r/more",
		'echo "$CONFIG" > r/more',
		"git -C r status",
	],
	"a folder of hooks that a configuration names at its very end": [
		"git init -q r; mkdir r/tools; (seq 100000 | sed 's/^/# /'; echo '[core]'; echo hooksPath = tools) >> r/.git/config",
		'echo "$SCRIPT" > r/tools/post-index-change; chmod +x r/tools/*',
		"git -C r add .",
	],
	"a folder of hooks in the worktree that the configuration names": [
		"git init -q r; mkdir -p tree/hooks; git -C r config core.worktree $PWD/tree; git -C r config core.hooksPath hooks",
		'echo "$SCRIPT" > tree/hooks/post-index-change; chmod +x tree/hooks/*',
		"git -C r add -A",
	],
	"a program that is named from where Git runs it": [
		"git init -q r; mkdir r/tools; git -C r config core.fsmonitor 'exec $PWD/tools/watch'; echo > r/tools/watch; chmod +x r/tools/watch",
		'echo "$SCRIPT" > r/tools/watch',
		"git -C r status",
	],
	"a script that an interpreter is given": [
		"git init -q r; git -C r config core.fsmonitor 'sh -e watch'; echo > r/watch",
		'echo "$SCRIPT" > r/watch',
		"git -C r status",
	],
	"a script that a program is given with an option": [
		"git init -q r; git -C r config core.fsmonitor 'awk -f watch'; echo > r/watch",
		// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own.
		'printf \'BEGIN { system("%s") }\' "${SCRIPT#??????????}" > r/watch',
		"git -C r status",
	],
	"a program that a remote is asked with": [
		"git init -q r; git init -q --bare other; git -C r remote add origin $PWD/other; git -C r config remote.origin.uploadpack ./up; echo > r/up; chmod +x r/up",
		'echo "$SCRIPT" > r/up',
		"git -C r fetch",
	],
};

for (const [what, [make, plant, use]] of Object.entries(LED)) {
	test(`nothing that Git runs can be written in ${what}`, async () => {
		const { fixture, run } = aWorkspace();
		const { mark, program } = aTrap(fixture);
		const trap = join(fixture.folder, "trap");
		writeFileSync(trap, `#!/bin/sh\n${program}\n`, { mode: 0o755 });
		const asUser = (script: string) =>
			spawnSync("/bin/sh", ["-c", `export GIT_CONFIG_NOSYSTEM=1 HOME=/nonexistent; ${script}`], {
				cwd: fixture.workspace,
			});
		asUser(make);
		await run(`SCRIPT=$'#!/bin/sh\n${trap}' CONFIG=$'[core]\nfsmonitor = ${trap}'; ${plant}`);
		asUser(use);
		assert.equal(existsSync(mark), false, "Git has run what the command had planted");
		asUser(
			`SCRIPT="$(printf '#!/bin/sh\n${trap}')" CONFIG="$(printf '[core]\nfsmonitor = ${trap}')"; ${plant}; ${use}`,
		);
		assert.equal(existsSync(mark), true, "what the user plants there is run");
	});
}

for (const [what, text] of Object.entries({
	"is too long to be read": "# longer\n".repeat(200_000),
	"leads to too many files": `[a]\n${Array.from({ length: 50_000 }, (_, index) => `b = ./${index}`).join("\n")}`,
})) {
	test(`where a configuration of Git ${what}, no command runs, and the reason names it`, async () => {
		const { fixture, at, start } = aWorkspace();
		git(fixture.workspace, "init", "-q", "r");
		appendFileSync(at("r/.git/config"), text);
		const report = await start("touch ran");
		assert.equal(
			report.state === "refused" && report.reason,
			`${at("r/.git/config")} is longer than 1 MB or leads to too many files, so it cannot be told what Git runs there, and no command was run.`,
		);
		assert.equal(existsSync(at("ran")), false);
	});
}

test("a repository in a folder whose name is not valid text is found too", async () => {
	const { fixture, run } = aWorkspace();
	const { mark, program } = aTrap(fixture);
	const plant = `d=$(printf 'x\\xff'); mkdir "$d" && git init -q "$d" && git -C "$d" config core.fsmonitor "$TRAP"`;
	const report = notRunning(await run(withTrap(plant, program)));
	assert.match(report.notes.join("\n"), /a name that is not valid text.*\n.*\.git is protected/);
	walkThrough(fixture.workspace);
	assert.equal(existsSync(mark), false);
});

test("no link that a command leaves leads to its temporary files, however long the chain", async () => {
	const plant = `git init -q $TMPDIR/r && git -C $TMPDIR/r config core.fsmonitor "$TRAP"
		real=$(awk -v at="$TMPDIR" '$5 == at { print $4 }' /proc/self/mountinfo)
		ln -s "$real/r" straight; ln -s "../../own" near; ln -s near/tmp by-another; ln -s / all; ln -s "all$real" by-all
		ln -s /usr/share out; mkdir -p a/b; ln -s "../../out/../..$real/r" a/b/back; ln -s /usr/share mine; ln -s a/b inside`;
	const { fixture, at, run } = aWorkspace();
	const { program } = aTrap(fixture);
	const report = notRunning(await run(withTrap(plant, program)));
	const leads = ["straight", "near/tmp", "by-another", "by-all", "a/b/back"];
	assert.deepEqual(
		leads.filter((path) => existsSync(at(path))),
		[],
		report.notes.join("\n"),
	);
	assert.deepEqual(
		["mine", "inside"].map((path) => existsSync(at(path))),
		[true, true],
	);
	assert.match(report.notes.join("\n"), /straight led to temporary files of commands .* the link was removed/);
});

const WAYS: Readonly<Record<string, string>> = {
	"another link on its way is turned afterwards":
		'ln -s /usr/share/doc c/out; ln -s "../../c/out/../..$real/r" a/b/back; sleep 1; ln -sfn /usr/share c/out',
	"its way goes through dots": 'ln -s /usr/share out; ln -s "../../out/./../..$real/r" a/b/back',
	"its way goes through a name of dots": 'ln -s /usr/share ...; ln -s "../../.../../..$real/r" a/b/back',
	"its way goes through a name that is not text":
		"ln -s /usr/share $'\\xff'; ln -s \"../../\"$'\\xff'\"/../..$real/r\" a/b/back",
	"it leads to a link whose name is not text": "ln -s \"$real/r\" $'\\xff'; ln -s ../../$'\\xff' a/b/back",
};

for (const [way, script] of Object.entries(WAYS))
	test(`no link that a command leaves leads to its temporary files if ${way}`, async () => {
		const plant = `mkdir -p a/b c; git init -q $TMPDIR/r; real=$(awk -v at="$TMPDIR" '$5 == at { print $4 }' /proc/self/mountinfo)`;
		const { at, run } = aWorkspace();
		const report = notRunning(await run(`${plant}; ${script}`));
		assert.equal(existsSync(at("a/b/back")), false, report.notes.join("\n"));
	});

test("what the user has under a name that is not valid text is not renamed by a command", async () => {
	const { fixture, run } = aWorkspace();
	const at = (name: string) => Buffer.from(`${fixture.workspace}/${name}`, "latin1");
	mkdirSync(at("folder\xff"));
	symlinkSync("/usr/share", at("link\xff"));
	const report = notRunning(await run("mkdir made"));
	assert.deepEqual([existsSync(at("folder\xff")), existsSync(at("link\xff"))], [true, true], report.notes.join("\n"));
});

test("the trap works: when the user plants it, Git does run it", () => {
	const { fixture, at } = aWorkspace();
	git(fixture.workspace, "init", "-q", "lib");
	const { mark, program } = aTrap(fixture);
	git(at("lib"), "config", "core.fsmonitor", program);
	walkThrough(fixture.workspace);
	assert.equal(existsSync(mark), true);
});

test("a file set aside is named, and keeps its contents", async () => {
	const { at, run } = aWorkspace();
	const { notes } = notRunning(await run("mkdir -p sub/g; echo mine > sub/g/note; mv sub/g sub/.git"));
	const [aside = ""] = readdirSync(at("sub"));
	assert.match(aside, /^\.git\.made-by-a-command-[0-9a-f]{16}$/);
	assert.ok(
		notes.some((note) => note.includes(at(`sub/${aside}`))),
		notes.join("\n"),
	);
	assert.equal(readFileSync(at(`sub/${aside}/note`), "utf8"), "mine\n");
});

test("nothing that a background command planted is there when it is reported on, and the report says so", async () => {
	const { at, start } = aWorkspace();
	const report = notRefused(await start("mkdir -p sub/g; mv sub/g sub/.git; sleep 60", 3_000));
	assert.equal(report.state, "running");
	assert.equal(existsSync(at("sub/.git")), false);
	assert.match(report.notes.join("\n"), /sub\/\.git is protected/);
});

test("with more repositories than mounts can hold, the folders that contain them are read-only", async () => {
	const names = Array.from({ length: 60 }, (_, index) => `all/repo-${index}/.git/config`);
	const { at, run } = aWorkspace(Object.fromEntries(names.map((name) => [name, ""])));
	await run("for config in all/*/.git/config; do echo x >> $config; done; echo x > made; true");
	assert.deepEqual(
		names.filter((name) => readFileSync(at(name), "utf8") !== ""),
		[],
	);
	assert.equal(existsSync(at("made")), true);
});

test("with more AGENTS.md than mounts can hold, each one that a command changed is named once, and no other", async () => {
	const names = Array.from({ length: 50 }, (_, index) => `f${index}/AGENTS.md`);
	const { at, run, start } = aWorkspace(Object.fromEntries(names.map((name) => [name, "mine\n"])));
	assert.deepEqual(notRunning(await run("cat f*/AGENTS.md > /dev/null; echo x > made")).notes, []);
	// The same size and the same time as before.
	const script =
		"for one in f*/AGENTS.md; do touch -r $one /tmp/was; printf obey > $one; echo >> $one; touch -r /tmp/was $one; done";
	const { notes } = notRunning(await run(`${script}; true`));
	const changed = names.filter((name) => readFileSync(at(name), "utf8") !== "mine\n");
	assert.equal(changed.length, 20);
	assert.deepEqual(
		names.filter((name) => notes.some((note) => note.startsWith(`${at(name)} was changed`))),
		changed,
	);
	const last = changed.at(-1) ?? "";
	const background = notRefused(await start(`echo again > ${last}; sleep 60`, 3_000));
	assert.equal(background.notes.filter((note) => note.includes("was changed")).length, 1, background.notes.join("\n"));
});

test("what a protected name leads to cannot be made by a command, wherever it is missing, and nothing else is touched", async () => {
	const { fixture, at, run } = aWorkspace();
	rmSync(at(".vscode"), { recursive: true });
	const links = { ".vscode": "config/editor", "CLAUDE.md": "docs/agents.md", ".envrc": "env/rc", "p/.zed": "../zed" };
	mkdirSync(at("p"));
	mkdirSync(at("mine/editor"), { recursive: true });
	for (const [name, target] of Object.entries(links)) symlinkSync(target, at(name));
	const script = [
		"mkdir -p docs env zed; echo obey > docs/agents.md; echo obey > env/rc; echo obey > zed/settings.json",
		// On the way to the first one, to a folder that is the user's.
		"ln -s mine config; echo obey > mine/editor/tasks.json",
	].join("; ");
	const { notes } = notRunning(await run(`${script}; true`));
	for (const [name, target] of Object.entries(links)) {
		assert.equal(readlinkSync(at(name)), target);
		assert.equal(existsSync(at(name)), false, `${name}: ${notes.join("\n")}`);
	}
	assert.equal(readFileSync(at("mine/editor/tasks.json"), "utf8"), "obey\n");
	assert.equal(readdirSync(fixture.workspace).filter((name) => name.startsWith("config.made-by-a-command")).length, 1);
});

test("protected names that are links protect their targets, and still lead there afterwards", async () => {
	const { at, run } = aWorkspace({ "config/vscode/settings.json": "{}\n", "docs/agents.md": "Be kind.\n" });
	rmSync(at(".vscode"), { recursive: true });
	symlinkSync("config/vscode", at(".vscode"));
	symlinkSync("docs/agents.md", at("AGENTS.md"));
	await run(
		"echo x > .vscode/tasks.json; echo x >> AGENTS.md; echo x > config/vscode/launch.json; echo x >> docs/agents.md; true",
	);
	assert.deepEqual(readdirSync(at("config/vscode")), ["settings.json"]);
	assert.equal(readFileSync(at("docs/agents.md"), "utf8"), "Be kind.\n");
});

test("with the home folder as the workspace, start-up files are read-only, and new ones are set aside (L4)", async () => {
	const home = mkdtempSync(join(parent, "home-"));
	const own = mkdtempSync(join(parent, "own-"));
	writeFileSync(join(home, ".bashrc"), "theirs\n");
	mkdirSync(join(home, ".config", "autostart"), { recursive: true });
	const places = {
		roots: [home],
		trusted: true,
		home,
		temp: [],
		own: [own],
		closed: NOTHING_CLOSED,
		versionControl: [],
	};
	const policy = resolvePolicy(PermissionSettings.parse({}), "never", places);
	const processes = createProcesses(createSandbox({ home: own, path: process.env.PATH, folders: [home] }));
	after(() => processes.close());
	const script = [
		"for f in .bashrc .config/autostart/x.desktop .zshenv .config/fish/config.fish .local/bin/ls; do mkdir -p $(dirname $f); echo evil > $f; done",
		"ln -s nowhere .profile; mv .config .moved; ls -A",
	].join("; ");
	const request = {
		argv: ["/bin/bash", "-c", script],
		cwd: home,
		policy,
		digest: digestPolicy(policy),
		environment: {},
	};
	const report = notRefused(
		await processes.run("thread", request, { held, timeoutMs: undefined, yieldMs: undefined }, never),
	);
	assert.equal(readFileSync(join(home, ".bashrc"), "utf8"), "theirs\n");
	for (const path of [".config/autostart/x.desktop", ".zshenv", ".config/fish", ".local/bin", ".profile"])
		assert.equal(lstatSync(join(home, path), { throwIfNoEntry: false }), undefined, path);
	assert.match(report.state === "ended" ? report.notes.join("\n") : "", /\.zshenv/);
	// Nothing stood in the place of a missing file meanwhile: a shell that starts would stumble over it.
	assert.doesNotMatch(report.output, /^\.zprofile$/m);
});

test("a new AGENTS.md below the root is set aside, unless a package brought it", async () => {
	const { at, run } = aWorkspace();
	await run("mkdir -p pkg node_modules/x; echo obey > pkg/AGENTS.md; echo fine > node_modules/x/AGENTS.md");
	assert.equal(existsSync(at("pkg/AGENTS.md")), false);
	assert.equal(existsSync(at("node_modules/x/AGENTS.md")), true);
});

test("protected names below the root are read-only, and new ones are set aside, in any spelling and through links", async () => {
	const { at, run } = aWorkspace({
		"pkg/.vscode/settings.json": "{}\n",
		"pkg/.Claude/settings.json": "{}\n",
		"deep/er/.envrc": "theirs\n",
		"config/editor/tasks.json": "{}\n",
		"pkg/.npmrc": "a=b\n",
	});
	mkdirSync(at("other"));
	symlinkSync("../config/editor", at("other/.vscode"));
	const report = notRunning(
		await run(
			[
				"echo x > pkg/.vscode/settings.json; echo x > pkg/.vscode/tasks.json; echo x > pkg/.Claude/settings.json",
				"rm -rf pkg/.vscode; mv pkg moved; mv deep/er deep/moved; echo x >> deep/er/.envrc",
				"echo x > other/.vscode/tasks.json; echo x > config/editor/tasks.json",
				"mkdir -p new/.VSCode new/a; echo x > new/.VSCode/tasks.json; ln -s ../../config new/a/.cursor; echo x > new/CLAUDE.md",
				"mkdir -p node_modules/p/.vscode; echo x > node_modules/p/.vscode/settings.json; echo c=d > pkg/.npmrc",
			].join("\n"),
		),
	);
	assert.equal(report.state, "ended", JSON.stringify(report));
	const text = (path: string) => readFileSync(at(path), "utf8");
	assert.deepEqual(
		["pkg/.vscode/settings.json", "pkg/.Claude/settings.json", "deep/er/.envrc", "config/editor/tasks.json"].map(text),
		["{}\n", "{}\n", "theirs\n", "{}\n"],
	);
	await run("rm other/.vscode; mkdir other/.vscode; sleep 0.2");
	assert.equal(readlinkSync(at("other/.vscode")), "../config/editor");
	for (const path of ["pkg/.vscode/tasks.json", "new/.VSCode", "new/a/.cursor", "new/CLAUDE.md"])
		assert.equal(lstatSync(at(path), { throwIfNoEntry: false }), undefined, path);
	assert.equal(existsSync(at("node_modules/p/.vscode/settings.json")), true, "a package's own");
	assert.equal(text("pkg/.npmrc"), "c=d\n", "runs with a build, which review marks");
	const notes = report.state === "ended" ? report.notes.join("\n") : "";
	for (const name of ["new/.VSCode", "new/a/.cursor", "new/CLAUDE.md"]) assert.match(notes, new RegExp(at(name)));
});

test("in a folder that was opened through a link, only what a command really makes is set aside", async () => {
	const { at, fixture, sandboxed } = aWorkspace();
	const link = join(fixture.folder, "a link");
	symlinkSync(fixture.workspace, link);
	const policy = policyFor({ ...fixture, workspace: link }, {});
	const notesOf = async (script: string) => {
		const report = notRunning(notRefused(await sandboxed(policy, script)));
		return report.state === "ended" ? report.notes : [];
	};
	assert.deepEqual(await notesOf("sleep 0.3; echo x > a; sleep 0.3"), []);
	const notes = await notesOf("mkdir -p sub/.git; sleep 0.5");
	assert.equal(notes.length, 1, notes.join("\n"));
	assert.ok(notes[0]?.startsWith(`${at("sub/.git")} is protected and can't be created by a command`), notes[0]);
});

test("a protected file cannot be written through another name for it either", async () => {
	const { at, fixture, run } = aWorkspace({
		".vscode/tasks.json": "{}\n",
		"AGENTS.md": "mine\n",
		"pkg/.claude/settings.json": "{}\n",
		"src/free.txt": "free\n",
	});
	git(fixture.workspace, "init", "-q");
	const twins = {
		"src/data.json": ".vscode/tasks.json",
		"src/a.md": "AGENTS.md",
		"src/b.json": "pkg/.claude/settings.json",
		"src/c.txt": ".git/config",
	};
	for (const [other, path] of Object.entries(twins)) linkSync(at(path), at(other));
	linkSync(at("src/free.txt"), at("src/free2.txt"));
	const before = Object.values(twins).map((path) => readFileSync(at(path), "utf8"));
	await run(
		"for f in src/*; do echo evil >> $f; done; mv src moved; mv src/data.json src/y; ln src/data.json x; ln .vscode/tasks.json z; echo evil >> x; echo evil >> z",
	);
	assert.deepEqual(
		Object.values(twins).map((path) => readFileSync(at(path), "utf8")),
		before,
	);
	assert.equal(readFileSync(at("src/free.txt"), "utf8"), "free\nevil\nevil\n");
});

/** What another program does outside while a command runs, and what the command would then read or write. */
const ACCIDENTS: Readonly<
	Record<string, { readonly outside: (at: (path: string) => string) => void; readonly tries: string }>
> = {
	"a closed file that is rewritten": {
		outside: (at) => {
			writeFileSync(at("closed.txt.lock"), "new-canary\n");
			renameSync(at("closed.txt.lock"), at("closed.txt"));
		},
		tries: "cat closed.txt",
	},
	"a protected folder that is made again": {
		outside: (at) => {
			rmSync(at(".vscode"), { recursive: true });
			mkdirSync(at(".vscode"));
		},
		tries: "echo planted > .vscode/tasks.json && cat .vscode/tasks.json",
	},
};

for (const [what, { outside, tries }] of Object.entries(ACCIDENTS)) {
	test(`${what} while a command runs ends the command, and its report says why`, async () => {
		const { at, fixture, sandboxed } = aWorkspace();
		const policy = policyFor(fixture, { denyRead: [at("closed.txt")] });
		const running = sandboxed(
			policy,
			`echo ready > ready; while :; do if ${tries} 2>/dev/null; then echo touched >> got; fi; done`,
			60_000,
		);
		await until(() => existsSync(at("ready")));
		outside(at);
		const report = notRefused(await running);
		assert.equal(report.state === "stopped" && report.by, "protection", JSON.stringify(report));
		assert.match(report.state === "stopped" ? report.notes.join("\n") : "", /The command was stopped\./);
	});
}

test("events in the home folder while a command runs neither end the command nor are visible to it", async () => {
	const { at, fixture, start } = aWorkspace();
	const running = start(
		`echo > ready; until [ -e go ]; do sleep 0.02; done; sleep 0.1; cat ${fixture.home}/.netrc ${fixture.home}/.kube/config || echo unseen`,
	);
	await until(() => existsSync(at("ready")));
	writeFileSync(join(fixture.home, ".netrc.lock"), "new-canary\n");
	renameSync(join(fixture.home, ".netrc.lock"), join(fixture.home, ".netrc"));
	mkdirSync(join(fixture.home, ".kube"));
	writeFileSync(join(fixture.home, ".kube/config"), "new-canary\n");
	writeFileSync(at("go"), "");
	const report = notRefused(await running);
	assert.equal(report.state, "ended");
	assert.match(report.output, /unseen\n$/);
	assert.doesNotMatch(report.output, /canary/);
});

test("a command with no outside interference runs to its end", async () => {
	const { run } = aWorkspace();
	const report = await run("sleep 0.5; echo done");
	assert.deepEqual([report.state, report.output], ["ended", "done\n"]);
});

test("while a command runs, the workspace holds no new name except .git", async () => {
	const { at, start } = aWorkspace();
	const before = readdirSync(at("."));
	const running = start("echo > ready; until [ -e go ]; do sleep 0.02; done");
	await until(() => existsSync(at("ready")));
	const during = readdirSync(at(".")).filter((name) => !before.includes(name) && name !== "ready");
	assert.deepEqual(during, [".git"]);
	writeFileSync(at("go"), "");
	notRefused(await running);
	assert.deepEqual(readdirSync(at(".")).sort(), [...before, "go", "ready"].sort());
});

/** What a command makes before it goes on running. */
const MADE_WHILE_RUNNING: Readonly<Record<string, string>> = {
	"a folder that a tool obeys": "mkdir v; echo '{}' > v/settings.json; mv v .Idea",
	"a file that a tool obeys": "echo x > .envrc",
	"a link to what it has prepared": "mkdir agents; ln -s agents .claude",
	"instructions below a folder": "mkdir -p a/b; echo obey > a/b/AGENTS.md",
	"what a console runs in a folder below": "mkdir -p a/b; echo 'system(1)' > a/b/.Rprofile",
	"a plugin of another agent below a folder": "mkdir -p a/b/o; echo > a/b/o/x.ts; mv a/b/o a/b/.opencode",
	"a repository far below": "mkdir -p a/b/c/g; mv a/b/c/g a/b/c/.git",
	"a repository under another name": "mkdir -p docs/objects docs/refs; echo 'ref: refs/heads/main' > docs/HEAD",
};

for (const [what, script] of Object.entries(MADE_WHILE_RUNNING)) {
	test(`${what} is set aside while the command that made it runs on, and its report says so`, async () => {
		const { at, start } = aWorkspace();
		const made = /(?:\S+ )?(\S+)$/.exec(script)?.[1] ?? "";
		const running = start(`${script}; echo > ready; until [ -e go ]; do sleep 0.02; done; echo done`);
		await until(() => existsSync(at("ready")) && !existsSync(at(made)));
		writeFileSync(at("go"), "");
		const report = notRunning(notRefused(await running));
		assert.deepEqual([report.state, report.output], ["ended", "done\n"]);
		assert.equal(report.notes.filter((note) => note.includes(at(made))).length, 1, report.notes.join("\n"));
	});
}

test("a command that keeps making the same protected name is ended, and its report says why", async () => {
	const { at, start } = aWorkspace();
	const report = notRunning(notRefused(await start("while :; do mkdir -p .idea; done 2>/dev/null")));
	assert.equal(report.state === "stopped" && report.by, "protection", JSON.stringify(report));
	assert.match(report.notes.join("\n"), /Stopped: it created .*\.idea, which is protected/);
	assert.equal(existsSync(at(".idea")), false);
});

test("a command that makes the editor's own folder is ended, and the next one cannot make it", async () => {
	const { at, start } = aWorkspace();
	rmSync(at(".vscode"), { recursive: true });
	const made = notRunning(notRefused(await start("mkdir v; echo '{}' > v/settings.json; mv v .vscode; sleep 60")));
	assert.equal(made.state === "stopped" && made.by, "protection", JSON.stringify(made));
	assert.equal(existsSync(at(".vscode")), false);
	const again = notRunning(
		notRefused(await start("mkdir w; mv -T w .vscode; echo x > .vscode/settings.json; ls -A .vscode; true")),
	);
	assert.equal(again.state, "ended");
	assert.deepEqual(again.notes, [], "nothing had to be set aside");
	assert.match(again.output, /cannot move|Permission denied|Read-only/);
	assert.equal(existsSync(at(".vscode")), false);
});

test("a path that the user has closed ends the command when it appears, and stays in place", async () => {
	const { at, fixture, sandboxed } = aWorkspace();
	const policy = policyFor(fixture, { denyRead: [at("private")] });
	const running = sandboxed(policy, "echo > ready; while :; do sleep 0.02; done");
	await until(() => existsSync(at("ready")));
	mkdirSync(at("private"));
	const report = notRunning(notRefused(await running));
	assert.equal(report.state === "stopped" && report.by, "protection", JSON.stringify(report));
	assert.equal(existsSync(at("private")), true);
});

test("a command that makes an awaited place unreachable stops no check: what else it plants is set aside", async () => {
	for (const hide of ["ln -s sub sub", "mkdir -p sub/in; chmod 000 sub", "rm -rf sub; echo > sub"]) {
		const { at, fixture, run } = aWorkspace();
		git(fixture.workspace, "init", "-q");
		git(fixture.workspace, "config", "include.path", "../sub/in/extra.config");
		const report = notRunning(await run(`${hide}; sleep 0.3; echo obey > AGENTS.md; sleep 0.3; chmod 700 sub || true`));
		assert.equal(report.state, "ended", JSON.stringify(report));
		assert.equal(existsSync(at("AGENTS.md")), false, hide);
	}
});

test("what a command planted before its host died is set aside before the next host reads anything", async () => {
	const { fixture, at } = aWorkspace({ "sub/a.txt": "a", "mine/AGENTS.md": "mine\n" });
	const before = {
		roots: [fixture.workspace],
		names: ["AGENTS*.md"],
		known: [at("mine/AGENTS.md")],
		awaited: [],
		links: [],
		stamps: [],
	};
	const folder = join(fixture.own, "sandbox");
	mkdirSync(folder, { recursive: true });
	createGuardJournal(folder).write(before);
	git(fixture.workspace, "init", "-q", "sub");
	writeFileSync(at("AGENTS.md"), "obey\n");
	assert.deepEqual(await cleanUpDeadHosts(fixture.own), [], "its host lives");
	pretendItDied(folder);
	const notes = await cleanUpDeadHosts(fixture.own);
	assert.deepEqual(
		[at("sub/.git"), at("AGENTS.md"), at("mine/AGENTS.md")].map((path) => existsSync(path)),
		[false, false, true],
	);
	assert.equal(notes.length, 3, notes.join("\n"));
	assert.deepEqual(await cleanUpDeadHosts(fixture.own), [], "once is enough");
});

test("nothing in the run folder stops the next start: readable entries are undone, the rest is kept and named", async () => {
	const { fixture, at } = aWorkspace({ "sub/a.txt": "a" });
	const folder = join(fixture.own, "sandbox");
	mkdirSync(folder, { recursive: true });
	const before = { roots: [fixture.workspace], names: ["AGENTS*.md"], known: [], awaited: [], links: [], stamps: [] };
	createGuardJournal(folder).write(before);
	pretendItDied(folder);
	const odd = { "before-1-1.json": "{ torn", "before-2-2.json": '{"of":"a later release"}' };
	for (const [name, text] of Object.entries(odd)) writeFileSync(join(folder, name), text);
	mkdirSync(join(folder, "before-3-3.json"));
	// The mask of closed files cannot be made there.
	mkdirSync(join(folder, "closed"));
	writeFileSync(at("AGENTS.md"), "obey\n");
	const notes = await cleanUpDeadHosts(fixture.own);
	assert.equal(existsSync(at("AGENTS.md")), false);
	assert.equal(notes.filter((note) => note.includes("is not readable")).length, 3, notes.join("\n"));
	for (const [name, text] of Object.entries(odd))
		assert.equal(readFileSync(join(folder, `${name}.unreadable`), "utf8"), text);
	assert.deepEqual(await cleanUpDeadHosts(fixture.own), [], "once is enough");
});

/** As if the process that wrote the journal had been another one, which is gone. */
function pretendItDied(folder: string): void {
	for (const name of readdirSync(folder).filter((one) => one.startsWith("before-"))) {
		const entry = JSON.parse(readFileSync(join(folder, name), "utf8"));
		writeFileSync(join(folder, name), JSON.stringify({ ...entry, began: "another time" }));
	}
}

function notRunning<T extends { readonly state: string }>(report: T): Exclude<T, { readonly state: "running" }> {
	assert.notEqual(report.state, "running");
	return report as Exclude<T, { readonly state: "running" }>;
}

async function until(holds: () => boolean): Promise<void> {
	for (const end = performance.now() + 20_000; !holds(); ) {
		if (performance.now() > end) throw new Error("It did not happen.");
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}
