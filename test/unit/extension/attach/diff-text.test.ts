import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { cutDiff, withoutSecrets } from "../../../../extension/attach/diff-text.ts";

const part = (path: string, line: string): string => `diff --git a/${path} b/${path}\n@@ -1 +1 @@\n+${line}\n`;

test("a diff for a commit message leaves out what probably contains secrets, and nothing else", () => {
	const diff = part("a.ts", "one") + part("config/.env", "KEY=1") + part("b.pem", "two") + part("c.ts", "diff --git x");
	assert.equal(
		cutDiff(diff, 10_000),
		`${part("a.ts", "one")}diff --git config/.env (contents left out)\ndiff --git b.pem (contents left out)\n${part("c.ts", "diff --git x")}`,
	);
});

test("a file that was renamed from or to a secret's name is left out, too", () => {
	const renamed = (before: string, after: string): string =>
		`diff --git a/${before} b/${after}\nrename from ${before}\n@@ -1 +1 @@\n+KEY=1\n`;
	for (const diff of [renamed(".env", "settings.txt"), renamed("settings.txt", ".env")])
		assert.doesNotMatch(withoutSecrets(diff), /KEY/);
});

/** Files of a repository whose second commit on another branch is in conflict with every line. */
const NAMES = [".env", ".env.ä b", 'a"b.pem', "id_my key", "with space.ts", "ä.ts"];
const PLAIN = NAMES.filter((name) => name.endsWith(".ts"));
const SECRETS = NAMES.filter((name) => !PLAIN.includes(name));

const WAYS: readonly { readonly settings?: readonly string[]; readonly words?: readonly string[] }[] = [
	{},
	{ settings: ["diff.mnemonicPrefix=true"] },
	{ settings: ["diff.noprefix=true"] },
	{ settings: ["core.quotePath=false"] },
	{ settings: ["core.quotePath=false", "diff.noprefix=true"] },
	{ words: ["--src-prefix=old/one/", "--dst-prefix=new/"] },
];

test("however Git formats the diff, changed, moved and conflicting secrets are left out, and other files are kept", (t) => {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-diff-"));
	t.after(() => rmSync(folder, { recursive: true }));
	const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
	const git = (...words: readonly string[]): string => {
		const who = ["-c", "user.name=me", "-c", "user.email=me@localhost"];
		return execFileSync("git", [...who, ...words], { cwd: folder, env, encoding: "utf8", stdio: "pipe" });
	};
	const write = (text: string): void => {
		for (const name of NAMES) writeFileSync(join(folder, name), `${text} of ${name}\n${"same\n".repeat(9)}`);
	};
	const diffs = ({ settings = [], words = [] }: (typeof WAYS)[number]): string => {
		const set = settings.flatMap((one) => ["-c", one]);
		return [["HEAD"], []].map((from) => git(...set, "diff", ...words, ...from)).join("");
	};
	const check = (what: string): void => {
		for (const way of WAYS) {
			const shown = withoutSecrets(diffs(way));
			const seen = NAMES.filter((name) => shown.includes(` of ${name}\n`));
			assert.deepEqual(seen, PLAIN, `${what} ${JSON.stringify(way)}\n${shown}`);
		}
		const glued = withoutSecrets(diffs({ words: ["--src-prefix=x", "--dst-prefix=y"] }));
		for (const name of SECRETS) assert.ok(!glued.includes(` of ${name}\n`), `${what}: ${name}\n${glued}`);
	};
	git("init", "--quiet", "--initial-branch=main");
	write("First");
	git("add", ".");
	git("commit", "--quiet", "-m", "one");
	write("Second");
	check("changed");
	git("checkout", "--quiet", "-b", "other");
	git("commit", "--quiet", "-am", "two");
	git("checkout", "--quiet", "main");
	write("Third");
	git("commit", "--quiet", "-am", "three");
	assert.throws(() => git("merge", "other"));
	check("conflict");
	git("reset", "--quiet", "--hard");
	write("Fourth");
	for (const name of SECRETS) renameSync(join(folder, name), join(folder, `${name.length}.txt`));
	git("add", ".");
	check("moved");
});

test("a diff whose header cannot be read is left out whole", () => {
	for (const diff of ["KEY=1\n", "diff --git nothing\n+KEY=1\n", "\u001b[1mdiff --git a/b.ts b/b.ts\n+KEY=1\n"])
		assert.equal(withoutSecrets(diff), "diff of a file whose name could not be read (contents left out)\n");
	const inside = `diff --git a/.env b/.env\n@@ -1 +1 @@\n+A=\rdiff --git a/b.ts b/b.ts\n+KEY=1\n`;
	assert.equal(withoutSecrets(inside), "diff --git .env (contents left out)\n");
	assert.equal(withoutSecrets(""), "");
});

test("a long diff is cut to its limit and says so", () => {
	const cut = cutDiff(part("a.ts", "x".repeat(5_000)), 1_000);
	assert.ok(cut.length <= 1_000);
	assert.match(cut, /\n\[cut off: \d+ more characters\]$/);
});
