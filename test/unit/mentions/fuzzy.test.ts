import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createPathIndex } from "../../../agent-host/mentions/path-index.ts";
import { parseQuery, prepareCandidate, scoreCandidate } from "../../support/plain-fuzzy.ts";

function found(query: string, ...files: readonly string[]): readonly string[] {
	const index = indexOf(files);
	return index.find(query, 100).filter((path) => !path.endsWith("/"));
}

/** Searches so many paths at a time. */
function indexOf(files: readonly string[], atOnce = 1_000) {
	const index = createPathIndex();
	for (const file of files) index.add(file);
	const find = (query: string, limit: number): readonly string[] => {
		const search = index.search(query, limit);
		while (!search.advance(atOnce));
		return search.best();
	};
	return { ...index, find };
}

test("a whole name ranks above its start, its start above its middle, and that above the rest of the path", () => {
	const files = [
		"retry/index.ts",
		"src/do-retry.ts",
		"src/retryOnce.ts",
		"src/try.ts",
		"src/retry.ts",
		"r/e/t/r/y/x.ts",
	];
	assert.deepEqual(found("retry", ...files), [
		"src/retry.ts",
		"src/retryOnce.ts",
		"src/do-retry.ts",
		"retry/index.ts",
		"r/e/t/r/y/x.ts",
	]);
});

test("letters at the starts of words come before letters anywhere", () => {
	const files = ["src/habitat.ts", "src/thumb.ts", "src/hostBundle.ts", "src/host-bundle.ts"];
	assert.deepEqual(found("hb", ...files), [
		"src/host-bundle.ts",
		"src/hostBundle.ts",
		"src/habitat.ts",
		"src/thumb.ts",
	]);
});

test("letters that follow each other come before scattered ones", () => {
	assert.deepEqual(found("conf", "a/c-o-n-f.ts", "a/myconf.ts"), ["a/myconf.ts", "a/c-o-n-f.ts"]);
});

test("case never hides a file, and the same case comes first", () => {
	assert.deepEqual(found("API", "src/api.ts", "src/API.ts"), ["src/API.ts", "src/api.ts"]);
	assert.deepEqual(found("readme", "README.md"), ["README.md"]);
});

test("a query with a slash matches against the path", () => {
	const files = ["src/media/page.ts", "media/page.ts", "page/media.ts"];
	assert.deepEqual(found("media/pa", ...files), ["media/page.ts", "src/media/page.ts"]);
});

test("ties are broken by the shorter path, then alphabetically", () => {
	assert.deepEqual(found("a", "z/y/a.ts", "c/a.ts", "b/a.ts"), ["b/a.ts", "c/a.ts", "z/y/a.ts"]);
});

test("folders are found too, once each", () => {
	const index = indexOf(["src/media/a.ts", "src/media/b.ts", "src/c.ts"]);
	assert.deepEqual(index.find("media", 10)[0], "src/media/");
	assert.deepEqual(index.find("", 10), ["src/", "src/media/", "src/media/a.ts", "src/media/b.ts", "src/c.ts"]);
});

const Path = fc.array(
	fc.string({ minLength: 1, maxLength: 8 }).map((part) => part.replaceAll("/", "_")),
	{
		minLength: 1,
		maxLength: 4,
	},
);

test("the results are exactly the paths that contain the query's letters in order", () => {
	fc.assert(
		fc.property(fc.array(Path, { maxLength: 20 }), fc.string({ minLength: 1, maxLength: 4 }), (parts, query) => {
			const files = [...new Set(parts.map((path) => path.join("/")))];
			const holds = files.filter((file) => holdsInOrder(file, query));
			assert.deepEqual(new Set(found(query, ...files)), new Set(holds));
		}),
	);
});

test("a shorter result list is the beginning of a longer one", () => {
	fc.assert(
		fc.property(fc.array(Path, { maxLength: 30 }), fc.string({ maxLength: 3 }), fc.nat(10), (parts, query, limit) => {
			const index = indexOf([...new Set(parts.map((path) => path.join("/")))]);
			assert.deepEqual(index.find(query, limit + 1), index.find(query, 1_000).slice(0, limit + 1));
		}),
	);
});

const Letters = fc.string({ unit: fc.constantFrom("a", "b", "B", "-", "/", "İ"), minLength: 1, maxLength: 4 });
const Name = fc.string({ unit: fc.constantFrom("a", "b", "B", "-", "."), minLength: 1, maxLength: 5 });
const Files = fc.uniqueArray(
	fc.array(Name, { minLength: 1, maxLength: 3 }).map((parts) => `${parts.join("/")}.ts`),
	{ minLength: 1, maxLength: 40 },
);

test("the best results equal those of judging every path, however many parts they are searched in", () => {
	fc.assert(
		fc.property(
			Files,
			Letters,
			fc.integer({ min: 1, max: 6 }),
			fc.integer({ min: 1, max: 50 }),
			(files, query, limit, atOnce) => {
				const index = indexOf(files, atOnce);
				assert.deepEqual(index.find(query, limit), bestOf(index.find("", 1_000), query).slice(0, limit));
			},
		),
		{ numRuns: 1_000 },
	);
});

const Word = fc.constantFrom("session", "Editor", "host", "policyView", "e2e", "sandbox", "ts", "Ünit", "s");
const Segment = fc
	.array(Word, { minLength: 1, maxLength: 3 })
	.chain((words) => fc.constantFrom("-", "", ".").map((by) => words.join(by)));
const Project = fc.uniqueArray(
	fc.array(Segment, { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join("/")}.ts`),
	{ minLength: 60, maxLength: 250, size: "max" },
);

test("the best results equal those of judging every path in a large project as well", () => {
	fc.assert(
		fc.property(Project, fc.array(fc.nat(), { minLength: 1, maxLength: 6 }), fc.nat(), (files, steps, chosen) => {
			const index = indexOf(files);
			const paths = index.find("", 10_000);
			const query = someLettersOf(paths[chosen % paths.length] ?? "", steps);
			assert.deepEqual(index.find(query, 30), bestOf(paths, query).slice(0, 30), query);
		}),
		{ numRuns: 200 },
	);
});

test("a search covers the files that were there when it began, whatever is added before it ends", () => {
	fc.assert(
		fc.property(Files, Files, Letters, (before, added, query) => {
			const index = indexOf(before);
			const expected = index.find(query, 5);
			const search = index.search(query, 5);
			for (const file of added) {
				search.advance(1);
				index.add(`later/${file}`);
			}
			while (!search.advance(1));
			assert.deepEqual(search.best(), expected);
		}),
	);
});

test("a match at the starts of words is found anywhere among very many names with scattered letters", () => {
	const poor = Array.from({ length: 20_000 }, (_, n) => `src/xpxtxb${n}.ts`);
	assert.equal(indexOf([...poor, "src/path-table-builder.ts"]).find("ptb", 30)[0], "src/path-table-builder.ts");
});

/** Letters of a path in their order, from somewhere in its last half on. */
function someLettersOf(path: string, steps: readonly number[]): string {
	let at = Math.floor(path.length / 2) - 1;
	const letters: string[] = [];
	for (const step of steps) {
		at += 1 + (step % 4);
		letters.push(path[at] ?? "");
	}
	return letters.join("") || path;
}

test("the better matches are found anywhere among very many names with scattered letters", () => {
	const poor = Array.from({ length: 20_000 }, (_, n) => `src/axbxc${n}.ts`);
	const better = Array.from({ length: 30 }, (_, n) => `src/later-abxc${n}.ts`);
	assert.ok(
		indexOf([...poor, ...better])
			.find("abc", 30)
			.every((path) => better.includes(path)),
	);
});

function bestOf(paths: readonly string[], query: string): readonly string[] {
	const scored = paths.flatMap((text) => {
		const folder = text.slice(0, text.lastIndexOf("/", text.length - 2) + 1);
		const candidate = prepareCandidate(text, folder === "" ? undefined : prepareCandidate(folder, undefined));
		const score = scoreCandidate(parseQuery(query), candidate);
		return score === undefined ? [] : [{ text, score }];
	});
	return scored.sort((a, b) => b.score - a.score || (a.text < b.text ? -1 : 1)).map(({ text }) => text);
}

/** The definition, in as few words as possible. */
function holdsInOrder(text: string, query: string): boolean {
	let at = -1;
	const [low, wanted] = [lower(text), lower(query)];
	for (let index = 0; index < wanted.length; index += 1) {
		at = low.indexOf(wanted[index] ?? "", at + 1);
		if (at === -1) return false;
	}
	return true;
}

function lower(text: string): string {
	return text.toLowerCase().length === text.length ? text.toLowerCase() : text;
}
