import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { isInside } from "../../agent-host/permissions/reach/reach.ts";
import { findRipgrep, locateRipgrep } from "../../agent-host/sandbox/find-ripgrep.ts";
import { type RunRipgrep, searchInside } from "../../agent-host/workspace/files/search.ts";
import { walkInside } from "../../agent-host/workspace/files/walk.ts";
import { findEditorRipgrep } from "../../extension/facts/ripgrep.ts";
import { CODE_SERVER } from "../support/editor-paths.ts";

const top = realpathSync(mkdtempSync(join(tmpdir(), "vitrine-search-")));
const repo = join(top, "repo");
after(() => rmSync(top, { recursive: true }));
mkdirSync(join(repo, "src"), { recursive: true });
mkdirSync(join(repo, "ignored"));
mkdirSync(join(top, "outside"));
writeFileSync(join(repo, ".gitignore"), "ignored/\n*.log\n");
writeFileSync(join(repo, "src", "a.ts"), "const needle = 1;\nconst Hay = 2;\n");
writeFileSync(join(repo, "src", "open.ts"), "old needle on disk\n");
writeFileSync(join(repo, "x.log"), "needle in a log\n");
writeFileSync(join(repo, "ignored", "b.ts"), "needle ignored\n");
writeFileSync(join(top, "outside", "secret.ts"), "needle outside\n");
symlinkSync(join(top, "outside"), join(repo, "link"));
symlinkSync(join(top, "outside", "secret.ts"), join(repo, "file-link.ts"));

const documents = new Map([[join(repo, "src", "open.ts"), "first\nnew NEEDLE unsaved\n"]]);
const never = new AbortController().signal;
const ripgrep = await findRipgrep(findEditorRipgrep(join(CODE_SERVER, "lib", "vscode")), process.env.PATH, []);

test("the editor's ripgrep and bubblewrap are there: without them the tests below prove nothing", () => {
	assert.notEqual(ripgrep, undefined, "run the editor set-up, and install bubblewrap");
});

const WAYS = {
	"ripgrep in the sandbox": ripgrep,
	"the bounded walk": undefined,
};

for (const [way, run] of Object.entries(WAYS)) {
	const search = (
		pattern: string,
		change: { readonly regex?: boolean; readonly limit?: number; readonly folder?: string } = {},
	) => searchInside(run, { folder: repo, pattern, regex: false, limit: 100, ...change }, below(repo), documents, never);

	describe(way, () => {
		test("finds lines below the folder, with unsaved text instead of disk, nothing ignored and nothing behind a link", async () => {
			assert.deepEqual(await search("needle"), {
				ok: true,
				matches: [
					{ path: "src/a.ts", line: 1, text: "const needle = 1;" },
					{ path: "src/open.ts", line: 2, text: "new NEEDLE unsaved" },
				],
			});
		});

		test("an upper-case letter in the pattern makes the search case-sensitive", async () => {
			assert.deepEqual(await search("NEEDLE"), {
				ok: true,
				matches: [{ path: "src/open.ts", line: 2, text: "new NEEDLE unsaved" }],
			});
		});

		test("a pattern that looks like an option is only a pattern", async () => {
			assert.deepEqual(await search("--files"), { ok: true, matches: [] });
		});

		test("a search stops at its limit and says so", async () => {
			const found = await search("n", { limit: 1 });
			assert.deepEqual(found.ok && [found.matches.length, found.cut], [1, "only the first 1 lines are shown"]);
		});

		test("a folder that is a link out of the workspace is refused", async () => {
			const found = await search("needle", { folder: join(repo, "link") });
			assert.match(found.ok ? "" : found.reason, /link out of the workspace folders/);
		});
	});
}

/** A folder, and beside it a link that takes its place and leads to a closed one. */
function aSwappedFolder(name: string, target: string) {
	const work = join(top, name);
	const folder = join(work, "sub");
	mkdirSync(folder, { recursive: true });
	mkdirSync(join(work, "shut"));
	writeFileSync(join(folder, "a.ts"), "needle inside\n");
	writeFileSync(join(work, "shut", "a.ts"), "needle shut in\n");
	symlinkSync(target, join(work, "link"));
	const swap = (): void => {
		renameSync(folder, join(work, "aside"));
		renameSync(join(work, "link"), folder);
	};
	const search = (run: RunRipgrep | undefined) =>
		searchInside(run, { folder, pattern: "needle", regex: false, limit: 100 }, below(work), new Map(), never);
	return { work, swap, search };
}

test("a folder that becomes a link after the check is searched as it was, and the link's target is not", async () => {
	for (const [name, target] of Object.entries({ far: join(top, "outside"), near: "../outside" })) {
		const { swap, search } = aSwappedFolder(name, target);
		const found = await search((...given) => {
			swap();
			return ripgrep?.(...given) ?? Promise.resolve({ state: "refused" });
		});
		assert.deepEqual(found, { ok: true, matches: [{ path: "a.ts", line: 1, text: "needle inside" }] }, name);
	}
});

test("where the policy closes a path below the folder, a line counts only if the named file holds it", async () => {
	const { work } = aSwappedFolder("closing", "shut");
	const readable = (path: string) => isInside(path, work) && !isInside(path, join(work, "shut"));
	const access = { readable, closesBelow: () => true };
	// What ripgrep prints if a folder leads to the closed one while it searches there.
	const misled: RunRipgrep = async () => {
		const rows = ["sub/a.ts\x001:needle inside", "sub/a.ts\x002:needle shut in", "sub/b.ts\x001:needle shut in"];
		return { state: "ended", exitCode: 0, stdout: rows.map((row) => `${work}/${row}\n`).join(""), stderr: "" };
	};
	const request = { folder: work, pattern: "needle", regex: false, limit: 100 };
	assert.deepEqual(await searchInside(misled, request, access, new Map(), never), {
		ok: true,
		matches: [{ path: "sub/a.ts", line: 1, text: "needle inside" }],
	});
	const long = `needle ${"\u4e2d".repeat(400)}`;
	writeFileSync(join(work, "sub", "long.ts"), `${long}\n`);
	const found = await searchInside(ripgrep, request, access, new Map(), never);
	assert.deepEqual(found.ok && found.matches.map(({ path, line }) => `${path}:${line}`), [
		"sub/a.ts:1",
		"sub/long.ts:1",
	]);
});

test("a bubblewrap that cannot hold the checked folder does not search; the bounded walk does", async () => {
	const refusing: RunRipgrep = async () => ({
		state: "ended",
		exitCode: 1,
		stdout: "",
		stderr: "bwrap: Unknown option --ro-bind-fd\n",
	});
	const request = { folder: join(repo, "src"), pattern: "Hay", regex: false, limit: 10 };
	assert.deepEqual(await searchInside(refusing, request, below(repo), new Map(), never), {
		ok: true,
		matches: [{ path: "a.ts", line: 2, text: "const Hay = 2;" }],
	});
});

test("a single file can be searched too", async () => {
	const request = { folder: join(repo, "src", "a.ts"), pattern: "H[a]y", regex: true, limit: 10 };
	const found = await searchInside(ripgrep, request, below(repo), new Map(), never);
	assert.deepEqual(found.ok && found.matches.map(({ line, text }) => [line, text]), [[2, "const Hay = 2;"]]);
});

test("a bad regular expression is answered with its error", async () => {
	const request = { folder: repo, pattern: "(", regex: true, limit: 10 };
	const found = await searchInside(ripgrep, request, below(repo), new Map(), never);
	assert.match(found.ok ? "" : found.reason, /unclosed group/);
});

test("a regular expression without ripgrep is refused, with the way out", async () => {
	const request = { folder: repo, pattern: "a+", regex: true, limit: 10 };
	const found = await searchInside(undefined, request, below(repo), new Map(), never);
	assert.match(found.ok ? "" : found.reason, /Search for plain text/);
});

test("a listing leaves out .git and ignored files, and names links without following them", async () => {
	mkdirSync(join(repo, ".git"), { recursive: true });
	writeFileSync(join(repo, ".git", "config"), "");
	assert.deepEqual(await walkInside(repo, isBelow(repo), 100, never), {
		paths: [".gitignore", "file-link.ts", "link", "src/a.ts", "src/open.ts"],
	});
});

test("a .gitignore line crafted to hang is skipped", async () => {
	const evil = join(top, "evil");
	mkdirSync(evil);
	writeFileSync(join(evil, ".gitignore"), `${"*a".repeat(40)}b\n`);
	writeFileSync(join(evil, "a".repeat(200)), "");
	assert.deepEqual(await walkInside(evil, isBelow(evil), 10, never), { paths: [".gitignore", "a".repeat(200)] });
});

test("a program inside a workspace folder is never used as ripgrep", async () => {
	writeFileSync(join(repo, "rg"), "#!/bin/sh\n", { mode: 0o755 });
	assert.equal(await locateRipgrep(join(repo, "rg"), repo, [repo]), undefined);
	assert.equal(await locateRipgrep(undefined, `.:${repo}`, [repo]), undefined);
});

function below(root: string) {
	return { readable: isBelow(root), closesBelow: () => false };
}

function isBelow(root: string): (path: string) => boolean {
	return (path) => isInside(path, root);
}
