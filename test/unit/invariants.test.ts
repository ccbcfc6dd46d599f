import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { PROJECT } from "../support/editor-paths.ts";

const INVARIANTS = (readFileSync(join(PROJECT, "ARCHITECTURE.md"), "utf8").split("## Invariants\n")[1] ?? "")
	.split(/^(?=\d+\. )/m)
	.slice(1);

test("every invariant of ARCHITECTURE.md names the tests that prove it, and they are there", () => {
	assert.ok(INVARIANTS.length >= 21);
	for (const [index, text] of INVARIANTS.entries()) {
		const proofs = [...text.matchAll(/^ {4}- `(.+?)`: (.+)$/gm)];
		assert.ok(proofs.length > 0, `invariant ${index + 1} names no test`);
		for (const [, file = "", title = ""] of proofs) {
			assert.ok(titlesIn(file).some(isTitle(title)), `invariant ${index + 1}: ${file} has no test “${title}”`);
		}
	}
});

test("every attempt to get around the policy that docs/attempts.md lists names the tests that try it, and they are there", () => {
	const page = readFileSync(join(PROJECT, "docs", "attempts.md"), "utf8");
	const rows = page.split("\n").filter((line) => /^\| (?!Attempt|---)/.test(line));
	assert.ok(rows.length > 20, String(rows.length));
	for (const row of rows) {
		const [, attempt = "", tests = ""] = row.split(/ ?\| ?/);
		const proofs = tests.split("<br>").map((one) => /^`(.+?)`: (.+)$/.exec(one));
		for (const proof of proofs) {
			const [, file = "", title = ""] = proof ?? assert.fail(`${attempt}: ${tests}`);
			assert.ok(titlesIn(file).some(isTitle(title)), `${attempt}: ${file} has no test “${title}”`);
		}
	}
});

/** Titles as they are written, with the places that are filled in. */
function titlesIn(file: string): readonly string[] {
	const source = readFileSync(join(PROJECT, file), "utf8");
	return [...source.matchAll(/\btest\w*\(\s*(["`])((?:\\.|(?!\1)[^\\])*)\1/g)].map(([, , title = ""]) => title);
}

/** Whether a title is the one named, where `…` stands for anything. */
function isTitle(named: string): (title: string) => boolean {
	const parts = named.split("…").map((part) => part.trim().replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
	const pattern = new RegExp(`^${parts.join("[^]*")}$`);
	return (title) => pattern.test(title);
}
