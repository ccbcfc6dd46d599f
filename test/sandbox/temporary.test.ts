import assert from "node:assert/strict";
import {
	chmodSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { digestPolicy } from "../../agent-host/permissions/policy/policy.ts";
import { NOTHING_CLOSED } from "../../agent-host/permissions/reach/reach.ts";
import { resolvePolicy } from "../../agent-host/permissions/resolve/resolve-policy.ts";
import { PermissionSettings } from "../../agent-host/protocol/settings/policy-settings.ts";
import { createProcesses } from "../../agent-host/sandbox/command/processes.ts";
import { removeTemporary, sweepTemporary, temporaryFolderOf } from "../../agent-host/sandbox/command/temporary.ts";
import { createSandbox } from "../../agent-host/sandbox/sandbox.ts";

// The machine's own, as users have it.
const MACHINES = "/tmp";
const parent = mkdtempSync(join(tmpdir(), "vitrine-temporary-"));
after(() => rmSync(parent, { recursive: true, force: true }));

const held = { sandbox: { text: "as the test says" }, containment: "sandboxed" } as const;
const never = new AbortController().signal;

interface Change {
	readonly permissions?: Partial<PermissionSettings>;
	readonly yieldMs?: number;
	readonly roots?: readonly string[];
}

/** A host with a workspace outside the folders for temporary files, unless the test says otherwise. */
function aHost(temp: readonly string[] = [MACHINES]) {
	const folder = mkdtempSync(join(parent, "host-"));
	const [home, workspace] = [join(folder, "home"), join(folder, "ws")];
	for (const path of [home, workspace]) mkdirSync(path);
	const processes = createProcesses(createSandbox({ home, path: process.env.PATH, folders: [workspace] }));
	after(() => processes.close());
	const run = async (
		thread: string,
		script: string,
		{ permissions = {}, roots = [workspace], yieldMs }: Change = {},
	) => {
		const settings = PermissionSettings.parse(permissions);
		const places = {
			roots,
			trusted: true,
			home: join(folder, "user"),
			temp,
			own: [home],
			closed: NOTHING_CLOSED,
			versionControl: [],
		};
		const policy = resolvePolicy(settings, "never", places);
		const request = { argv: ["/bin/bash", "-c", script], cwd: roots[0] ?? "/", policy, digest: digestPolicy(policy) };
		const options = { held, timeoutMs: undefined, yieldMs };
		const report = await processes.run(thread, { ...request, environment: { PATH: process.env.PATH } }, options, never);
		assert.notEqual(report.state, "refused", JSON.stringify(report));
		return report as Exclude<typeof report, { readonly state: "refused" }>;
	};
	return { home, workspace, run, processes };
}

/** A file of another program in the machine's own folder. */
function aFileOfOthers(text: string): string {
	const path = join(mkdtempSync(join(MACHINES, "vitrine-others-")), "askpass");
	writeFileSync(path, text);
	after(() => rmSync(join(path, ".."), { recursive: true, force: true }));
	return path;
}

for (const mode of ["workspaceWrite", "ask", "readOnly"] as const) {
	test(`other programs' temporary files cannot be seen or changed (${mode}, H5)`, async () => {
		const { run } = aHost();
		const path = aFileOfOthers("token");
		const { output } = await run("one", `cat ${path}; ls ${join(path, "..")}; echo x > ${path}; echo done`, {
			permissions: { mode },
		});
		assert.doesNotMatch(output, /token|askpass$/m);
		assert.match(output, /done/);
		assert.equal(readFileSync(path, "utf8"), "token");
	});
}

test("a start-up file that a command plants for a terminal is invisible to other programs (H5)", async () => {
	const { run } = aHost();
	const planted = join(MACHINES, `vitrine-${process.pid}-zsh`);
	const { output } = await run("one", `mkdir ${planted} && echo evil > ${planted}/.zshrc && ls -A ${planted}`);
	assert.match(output, /\.zshrc/);
	assert.equal(existsSync(planted), false);
});

test("a thread keeps its temporary files between commands, and no other thread finds them", async () => {
	const { run } = aHost();
	const file = join(MACHINES, `vitrine-${process.pid}-kept.txt`);
	await run("one", `echo kept > ${file}`);
	assert.equal((await run("one", `cat ${file}`)).output, "kept\n");
	assert.match((await run("two", `cat ${file}`)).output, /No such file/);
	assert.equal(existsSync(file), false);
});

test("a folder for temporary files inside another one is available and private too", async () => {
	const inner = mkdtempSync(join(MACHINES, "vitrine-inner-"));
	after(() => rmSync(inner, { recursive: true, force: true }));
	writeFileSync(join(inner, "theirs"), "theirs");
	const { run } = aHost([MACHINES, inner]);
	const { output } = await run("one", `TMPDIR=${inner} mktemp && ls ${inner} && echo x > ${MACHINES}/x`);
	assert.match(output, /tmp\.\w+\ntmp\.\w+\n$/);
	assert.equal(readdirSync(inner).join(), "theirs");
});

test("in read-only mode temporary files cannot be written either", async () => {
	const { run } = aHost();
	const { output } = await run("one", `echo x > ${join(MACHINES, "x")}`, { permissions: { mode: "readOnly" } });
	assert.match(output, /Read-only file system/);
});

test("a workspace among temporary files is visible as it is, and stays in its place while commands run", async () => {
	const { home, run, processes } = aHost();
	const outer = mkdtempSync(join(MACHINES, "vitrine-outer-"));
	after(() => rmSync(outer, { recursive: true, force: true }));
	const workspace = join(outer, "deep", "ws");
	mkdirSync(join(workspace, ".git", "hooks"), { recursive: true });
	const roots = [workspace];
	const moved = `mv ${outer} ${outer}-x; mv ${join(outer, "deep")} ${join(outer, "y")}; rmdir ${workspace}`;
	const background = await run("one", `${moved}; echo made > made.txt; sleep 60`, { roots, yieldMs: 500 });
	assert.equal(background.state, "running");
	const { output } = await run("one", `cat made.txt; echo evil > .git/hooks/pre-commit; ls ${outer}`, { roots });
	assert.match(output, /^made\n/);
	assert.match(output, /hooks\/pre-commit: Read-only file system/);
	assert.match(output, /deep\n$/);
	assert.equal(existsSync(join(workspace, ".git", "hooks", "pre-commit")), false);
	assert.equal(existsSync(`${outer}-x`), false);
	await processes.close();
	assert.deepEqual(readFileSync(join(workspace, "made.txt"), "utf8"), "made\n");
	assert.ok(existsSync(temporaryFolderOf(home, "one")));
});

test("only the folder that the user names is shared with other programs", async () => {
	const { run } = aHost();
	const outer = mkdtempSync(join(MACHINES, "vitrine-shared-"));
	after(() => rmSync(outer, { recursive: true, force: true }));
	const [named, other] = [join(outer, "named"), join(outer, "other")];
	for (const path of [named, other]) mkdirSync(path);
	const permissions = { writableRoots: [named] };
	await run("one", `echo a > ${named}/a; mkdir -p ${other}; echo b > ${other}/b`, { permissions });
	assert.deepEqual([existsSync(join(named, "a")), existsSync(join(other, "b"))], [true, false]);
});

test("when the machine's own temporary folder is named, commands use it", async () => {
	const { run } = aHost();
	const path = aFileOfOthers("shared on purpose");
	const { output } = await run("one", `cat ${path}`, { permissions: { writableRoots: [":tmp"] } });
	assert.equal(output, "shared on purpose");
});

test("a thread's temporary files are deleted with it, even those its commands made inaccessible", async () => {
	const { home, run } = aHost();
	for (const thread of ["one", "two"])
		await run(
			thread,
			`mkdir -p ${MACHINES}/a/b && echo x > ${MACHINES}/a/b/c && chmod 0 ${MACHINES}/a/b ${MACHINES}/a`,
		);
	await removeTemporary(home, "one");
	assert.deepEqual(
		[existsSync(temporaryFolderOf(home, "one")), existsSync(temporaryFolderOf(home, "two"))],
		[false, true],
	);
	await sweepTemporary(home, new Set());
	assert.equal(existsSync(temporaryFolderOf(home, "two")), false);
});

test("a command cannot reach another thread's temporary files through the place they are kept", async () => {
	const { home, run } = aHost();
	await run("one", `echo secret > ${MACHINES}/s`);
	chmodSync(home, 0o755);
	const { output } = await run(
		"two",
		`ls -R ${join(home, "tmp")} 2>&1; find / -name s -newermt '-1 hour' -path '*one*' 2>/dev/null`,
	);
	assert.doesNotMatch(output, /secret|\/s$/m);
});
