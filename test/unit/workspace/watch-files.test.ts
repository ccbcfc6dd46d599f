import assert from "node:assert/strict";
import {
	appendFileSync,
	chmodSync,
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
	statSync,
	symlinkSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { type Content, isLink } from "../../../agent-host/workspace/files/content.ts";
import { statFile } from "../../../agent-host/workspace/files/visit-files.ts";
import { createFileWatch, createFound } from "../../../agent-host/workspace/files/watch-files.ts";
import { createRandom } from "../../support/crash.ts";

const scratch = mkdtempSync(join(tmpdir(), "vitrine-watch-"));
after(() => rmSync(scratch, { recursive: true }));

/** What a command replaces the folder `lib` with right after it was listed. */
const SWAPS: Readonly<Record<string, (lib: string, outside: string) => void>> = {
	"a link to a folder outside": (lib, outside) => symlinkSync(outside, lib),
	"a link to itself": (lib) => symlinkSync(lib, lib),
	"a file": (lib) => writeFileSync(lib, "no folder"),
};

for (const [what, swap] of Object.entries(SWAPS)) {
	test(`a folder that becomes ${what} while it is looked at leads nowhere`, async () => {
		const folder = mkdtempSync(join(scratch, "w-"));
		const [workspace, outside] = [join(folder, "ws"), join(folder, "outside")];
		for (const place of [join(workspace, "lib"), outside]) mkdirSync(place, { recursive: true });
		writeFileSync(join(workspace, "lib/a.txt"), "a");
		writeFileSync(join(outside, "a.txt"), "secret");
		let isSwapped = true;
		// The folder may be opened by another path than its real one.
		symlinkSync(workspace, join(folder, "opened"));
		const lib = join(folder, "opened/lib");
		const mayChange = () => {
			if (!isSwapped) {
				isSwapped = true;
				renameSync(lib, `${lib}-before`);
				swap(lib, outside);
			}
			return true;
		};
		const watch = createFileWatch({ folders: [join(folder, "opened")], mayChange });
		await watch.remember();
		writeFileSync(join(workspace, "lib/a.txt"), "changed");
		isSwapped = false;
		const { changed } = await watch.compare();
		const contents = changed.map(({ before, after }) => `${before}, ${after}`).join("; ");
		assert.doesNotMatch(contents, /secret/);
		writeFileSync(join(workspace, "b.txt"), "b");
		assert.match(JSON.stringify((await watch.compare()).changed.map(({ path }) => path)), /b\.txt/);
	});
}

/** Every regular file and link below a folder, with its content. */
function readAll(folder: string): ReadonlyMap<string, string> {
	const files = new Map<string, string>();
	for (const entry of readdirSync(folder, { withFileTypes: true })) {
		const path = join(folder, entry.name);
		if (entry.isFile()) files.set(path, readFileSync(path, "utf8"));
		if (entry.isSymbolicLink()) files.set(path, show({ target: readlinkSync(path, "buffer") }) ?? "");
		if (entry.isDirectory()) for (const [inner, text] of readAll(path)) files.set(inner, text);
	}
	return files;
}

function show(content: Content | undefined): string | undefined {
	return isLink(content) ? `a link to ${content.target}` : content?.toString();
}

/** Until the file system's clock has gone on: nothing that happens from now on has a time that something has already. */
function waitForNextTick(probe: string): void {
	writeFileSync(probe, "");
	const { ctimeNs } = statSync(probe, { bigint: true });
	while (statSync(probe, { bigint: true }).ctimeNs === ctimeNs) writeFileSync(probe, "");
}

const LONG_AGO = 1_000_000_000;

/** What a command can do to a tree, of which it then sets back all times that it can set. */
const TRICKS: Readonly<Record<string, (path: string, other: string, fresh: string) => void>> = {
	"writes a file": (path) => writeFileSync(path, readFileSync(path, "utf8").replace(/./, "#")),
	"writes a file through another name": (path, _, fresh) => {
		linkSync(path, fresh);
		writeFileSync(fresh, "by another name");
		rmSync(fresh);
	},
	"appends to a file": (path) => appendFileSync(path, "more"),
	"empties a file": (path) => truncateSync(path),
	"replaces a file": (path, _, fresh) => {
		writeFileSync(fresh, "replaced");
		renameSync(fresh, path);
	},
	"swaps two files": (path, other, fresh) => {
		renameSync(path, fresh);
		renameSync(other, path);
		renameSync(fresh, other);
	},
	"makes a file": (_, __, fresh) => writeFileSync(fresh, "new"),
	"makes a folder with a file": (_, __, fresh) => {
		mkdirSync(fresh);
		writeFileSync(join(fresh, "inner"), "inner");
	},
	"gives a file another name": (path, _, fresh) => renameSync(path, fresh),
	"gives a file a second name": (path, _, fresh) => linkSync(path, fresh),
	"removes a file": (path) => rmSync(path),
	"puts a folder in place of a file": (path) => {
		rmSync(path);
		mkdirSync(path);
		writeFileSync(join(path, "inner"), "inner");
	},
	"puts a link in place of a file": (path, other) => {
		rmSync(path);
		symlinkSync(other, path);
	},
	"makes a link": (_, other, fresh) => symlinkSync(other, fresh),
	"removes a link": (path) => rmSync(join(dirname(path), "link")),
	"makes a link lead elsewhere": (path) => {
		rmSync(join(dirname(path), "link"));
		symlinkSync("two", join(dirname(path), "link"));
	},
	"puts a file in place of a link": (path) => {
		rmSync(join(dirname(path), "link"));
		writeFileSync(join(dirname(path), "link"), "one");
	},
	"gives a folder another name": (path, _, fresh) => {
		renameSync(dirname(path), `${dirname(path)}-moved`);
		mkdirSync(dirname(fresh), { recursive: true });
	},
	"puts a file in place of a folder": (path) => {
		rmSync(dirname(path), { recursive: true });
		writeFileSync(dirname(path), "no folder any more");
	},
	"puts another folder in its place": (path, _, fresh) => {
		renameSync(dirname(path), `${dirname(path)}-moved`);
		mkdirSync(dirname(path));
		writeFileSync(fresh, "in the other one");
	},
	"closes and opens a file": (path) => {
		chmodSync(path, 0o600);
		chmodSync(path, 0o644);
	},
};

/** A few folders with a few files each. */
function makeTree(): string {
	const tree = mkdtempSync(join(scratch, "tree-"));
	for (const folder of ["", "a", "a/b", "c"]) {
		mkdirSync(join(tree, folder), { recursive: true });
		for (const name of ["one", "two"]) writeFileSync(join(tree, folder, name), `${folder} ${name}`);
		symlinkSync("one", join(tree, folder, "link"));
	}
	return tree;
}

/** Of these and their folders, and of nothing else: whatever has its time set back gets another change time. */
function setTimesBack(paths: readonly string[]): void {
	for (const path of paths.flatMap((one) => [one, dirname(one)])) {
		if (existsSync(path) && !lstatSync(path).isSymbolicLink()) utimesSync(path, LONG_AGO, LONG_AGO);
	}
}

/** A moment ago, everything may still change within a tick of the clock; after a while, names and contents are known. */
const CLOCKS = { "right after it was made": Date.now, "after a while": () => Date.now() + 60_000 };

for (const [when, now] of Object.entries(CLOCKS)) {
	for (const [what, trick] of Object.entries(TRICKS)) {
		test(`in a tree ${when}, a command that ${what} and sets back the times is found out`, async () => {
			const tree = makeTree();
			const [path, other, fresh] = [join(tree, "a/b/one"), join(tree, "c/two"), join(tree, "a/b/fresh")];
			setTimesBack([path, other]);
			const watch = createFileWatch({ folders: [tree], mayChange: () => true, now });
			// The second look uses what the first one has found.
			for (let look = 0; look < 2; look += 1) await watch.remember();
			const before = readAll(tree);
			waitForNextTick(join(scratch, "tick"));
			trick(path, other, fresh);
			setTimesBack([path, other, fresh]);
			const after = readAll(tree);
			const expected = [...new Set([...before.keys(), ...after.keys()])]
				.filter((path) => before.get(path) !== after.get(path))
				.map((path) => [path, before.get(path), after.get(path)]);
			const { changed, unkept } = await watch.compare();
			assert.deepEqual(changed.map((one) => [one.path, show(one.before), show(one.after)]).sort(), expected.sort());
			assert.deepEqual(unkept, []);
			assert.deepEqual(await watch.compare(), { changed: [], unkept: [] }, "the next look starts from here");
		});
	}
}

test("after any sequence of such tricks, with looks of two turns in between, exactly the changes are found", async () => {
	for (let seed = 0; seed < 20; seed += 1) {
		const draw = createRandom(seed);
		const random = (below: number) => Math.floor(draw() * below);
		const tree = makeTree();
		const found = createFound();
		const watches = [0, 1].map(() =>
			createFileWatch({ folders: [tree], mayChange: () => true, found, now: CLOCKS["after a while"] }),
		);
		const seen = [new Map<string, string>(), new Map<string, string>()];
		for (const [at, watch] of watches.entries()) {
			await watch.remember();
			seen[at] = new Map(readAll(tree));
		}
		const tricks = Object.entries(TRICKS);
		const done: string[] = [];
		for (let step = 0; step < 12; step += 1) {
			waitForNextTick(join(scratch, "tick"));
			const paths = [...readAll(tree).keys()].filter((path) => dirname(path) !== tree);
			const [what, trick] = tricks[random(tricks.length)] ?? assert.fail();
			const path = paths[random(paths.length)];
			const other = paths[random(paths.length)];
			if (path === undefined || other === undefined || path === other) continue;
			const fresh = join(dirname(path), `fresh-${step}`);
			try {
				trick(path, other, fresh);
				done.push(what);
				setTimesBack([path, other, fresh]);
			} catch {
				// Not possible with these two.
			}
			const at = random(2);
			const after = readAll(tree);
			const before = seen[at] ?? assert.fail();
			seen[at] = new Map(after);
			const expected = [...new Set([...before.keys(), ...after.keys()])]
				.filter((one) => before.get(one) !== after.get(one))
				.sort();
			const { changed } = (await watches[at]?.compare()) ?? assert.fail();
			assert.deepEqual(changed.map((one) => one.path).sort(), expected, `seed ${seed}: ${done.join(", ")}`);
			for (const one of changed)
				assert.deepEqual([show(one.before), show(one.after)], [before.get(one.path), after.get(one.path)], one.path);
		}
	}
});

test("what a command does within the same tick of the file system's clock is found out", async () => {
	const folder = mkdtempSync(join(scratch, "w-"));
	const [path, made] = [join(folder, "a.txt"), join(folder, "made.txt")];
	writeFileSync(path, "one");
	const at = Date.now();
	/** A file system whose clock has not gone on since. */
	const stat: typeof statFile = (one, links) => {
		const stats = statFile(one, links);
		const time = BigInt(at) * 1_000_000n;
		return stats && Object.assign(stats, { size: 3n, mtimeNs: time, ctimeNs: time });
	};
	const watch = createFileWatch({ folders: [folder], mayChange: () => true, stat, now: () => at + 1 });
	await watch.remember();
	writeFileSync(path, "two");
	writeFileSync(made, "new");
	const { changed } = await watch.compare();
	assert.deepEqual(
		changed.map((one) => [one.path, one.before?.toString(), one.after?.toString()]),
		[
			[path, "one", "two"],
			[made, undefined, "new"],
		],
	);
	assert.deepEqual(await watch.compare(), { changed: [], unkept: [] });
});

test("a large file that was not kept is named when it changes, and not before", async () => {
	const folder = mkdtempSync(join(scratch, "w-"));
	const path = join(folder, "large");
	writeFileSync(path, "too large");
	const limits = { files: 10, bytes: 5 };
	const watch = createFileWatch({ folders: [folder], mayChange: () => true, limits });
	await watch.remember();
	assert.deepEqual(await watch.compare(), { changed: [], unkept: [] });
	waitForNextTick(join(scratch, "tick"));
	writeFileSync(path, "too large");
	assert.deepEqual(await watch.compare(), { changed: [], unkept: [path] });
});
