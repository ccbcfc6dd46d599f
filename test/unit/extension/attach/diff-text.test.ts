import assert from "node:assert/strict";
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

test("a long diff is cut to its limit and says so", () => {
	const cut = cutDiff(part("a.ts", "x".repeat(5_000)), 1_000);
	assert.ok(cut.length <= 1_000);
	assert.match(cut, /\n\[cut off: \d+ more characters\]$/);
});
