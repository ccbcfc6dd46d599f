import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { test } from "node:test";
import { FETCHES, FLOORS, ONLY, PURE, PURE_PACKAGES, ROOMS } from "../support/rooms.ts";

const ROOT = join(import.meta.dirname, "..", "..");

const EFFECTS_BY_NAME =
	/\b(?:Date\.now|new Date\(\)|Math\.random|process\.(?:env|cwd|exit)|setTimeout|setInterval|fetch)\b/;

test("every source file stands in a room and imports only what its room may", () => {
	assert.deepEqual(sources().flatMap(violationsOf), []);
});

test("a room imports only rooms that come before it", () => {
	const names = Object.keys(ROOMS);
	const isEarlier = (room: string, other: string) => names.findIndex((name) => isIn(other, name)) < names.indexOf(room);
	// The extension imports the page's door, and nothing of the extension is imported.
	const found = Object.entries(ROOMS).flatMap(([room, { rooms }]) => rooms.filter((other) => !isEarlier(room, other)));
	assert.deepEqual(found, []);
});

test("a package with an allow-list is imported by every file on it and by no other", () => {
	const all = sources().map((file) => ({ file, packages: importsOf(file).map(({ target }) => target) }));
	for (const [name, files] of Object.entries(ONLY)) {
		const users = all.filter(({ packages }) => packages.includes(name)).map(({ file }) => file);
		const strangers = users.filter((file) => !files.some((allowed) => isIn(file, allowed)));
		const idle = files.filter((allowed) => !users.some((file) => isIn(file, allowed)));
		assert.deepEqual({ name, strangers, idle }, { name, strangers: [], idle: [] });
	}
});

test("only a few files ask servers, and none of them follows a redirect", () => {
	const asking = sources()
		.map((file) => ({ file, text: withoutComments(readFileSync(join(ROOT, file), "utf8")) }))
		// Elsewhere it is a value that was handed in.
		.filter(({ text }) => /(?<![.\w])fetch\(/.test(text) && !/\bfetch: CheckedFetch\b/.test(text));
	assert.deepEqual(asking.map(({ file }) => file).sort(), FETCHES);
	for (const { file, text } of asking) {
		const [calls = [], held = []] = [/(?<![.\w])fetch\(/g, /\bredirect: "(?:manual|error)"/g].map(
			(it) => text.match(it) ?? [],
		);
		assert.equal(held.length, calls.length, file);
	}
});

test("inside a big room nothing imports from a floor above its own", () => {
	assert.deepEqual(Object.keys(FLOORS).flatMap(climbsIn), []);
});

test("pure rooms import only each other, and name no clock, process or network", () => {
	const pure = sources().filter(isPure);
	const impure = pure.flatMap((file) =>
		importsOf(file)
			.filter(({ target, typeOnly }) => !typeOnly && !(isOwn(target) ? isPure(target) : PURE_PACKAGES.includes(target)))
			.map(({ target }) => `${file} may not import ${target}`),
	);
	const named = pure.filter((file) => EFFECTS_BY_NAME.test(withoutComments(readFileSync(join(ROOT, file), "utf8"))));
	assert.deepEqual([...impure, ...named], []);
});

test("every line of the tables names something that is there", () => {
	const all = sources();
	const inFloors = Object.entries(FLOORS).flatMap(([room, floors]) =>
		Object.keys(floors).flatMap((floor) => (floor === "*" ? [] : [join(room, floor)])),
	);
	const named = [...Object.keys(ROOMS), ...Object.values(ONLY).flat(), ...PURE, ...inFloors];
	assert.deepEqual(
		named.filter((name) => !all.some((file) => isIn(file, name))),
		[],
	);
});

test("no two source files import each other, directly or in a circle", () => {
	assert.deepEqual(findCycle(), undefined);
});

test("no two files of the extension have the same name, nor do two of the page", () => {
	const found = ["extension", "media"].flatMap((process) => {
		const files = sources().filter((file) => isIn(file, process));
		return [...Map.groupBy(files, (file) => basename(file).replace(/\.tsx?$/, "")).values()].filter(
			(named) => named.length > 1,
		);
	});
	assert.deepEqual(found, []);
});

/** Files that import nothing, so that no schema library comes with them. */
const SHARED_WITH_PAGE: ReadonlySet<string> = new Set([
	"media/wire/limits.ts",
	"agent-host/protocol/limits.ts",
	"media/wire/finding.ts",
	"media/wire/git-ref.ts",
	"agent-host/protocol/invisible.ts",
	"agent-host/protocol/call-end.ts",
	"agent-host/protocol/thread/patched-files.ts",
]);

test("the page's code takes only types from the protocol and from its wire, so no schema library reaches it", () => {
	const found = sources()
		.filter((file) => isIn(file, "media") && !["media/wire.ts", "media/inspector-wire.ts"].includes(file))
		.flatMap((file) =>
			importsOf(file).filter(
				({ target, typeOnly }) => !typeOnly && /agent-host|wire/.test(target) && !SHARED_WITH_PAGE.has(target),
			),
		);
	assert.deepEqual(found, []);
	assert.deepEqual([...SHARED_WITH_PAGE].flatMap(importsOf), []);
});

function sources(): readonly string[] {
	return ["agent-host", "extension", "l10n", "media"].flatMap((room) =>
		readdirSync(join(ROOT, room), { recursive: true, encoding: "utf8" })
			.map((file) => join(room, file))
			.filter((file) => /\.tsx?$/.test(file) && !file.includes("dist")),
	);
}

interface Import {
	readonly target: string;
	readonly typeOnly: boolean;
}

function importsOf(file: string): readonly Import[] {
	const text = withoutComments(readFileSync(join(ROOT, file), "utf8"));
	const found = text.matchAll(
		/^(import|export)\s+(type\s+)?[^;]*?from\s+"([^"]+)"|import\(\s*"([^"]+)"\s*\)|^import\s+"([^"]+)"/gm,
	);
	return [...found].map((match) => {
		const target = match[3] ?? match[4] ?? match[5] ?? "";
		const path = target.startsWith(".") ? normalize(join(dirname(file), target)) : target;
		return { target: path, typeOnly: match[2] !== undefined };
	});
}

function violationsOf(file: string): readonly string[] {
	const room = roomOf(file);
	if (room === undefined) return [`${file} stands in no room`];
	const { rooms = [], packages = [] } = ROOMS[room] ?? {};
	const mayImport = ({ target }: Import): boolean => {
		if (target.endsWith(".css")) return true;
		if (isOwn(target)) return roomOf(target) === room || rooms.some((name) => isIn(target, name));
		// A separate list says which files may import these.
		return Object.hasOwn(ONLY, target) || packages.some((name) => target === name || target.startsWith(`${name}/lib/`));
	};
	return importsOf(file)
		.filter((entry) => !mayImport(entry))
		.map(({ target }) => `${file} may not import ${target}`);
}

/** The imports that lead from a floor of a room to a higher one. */
function climbsIn(room: string): readonly string[] {
	const floors = Object.keys(FLOORS[room] ?? {});
	const floorOf = (file: string): number => {
		const named = floors.findIndex((floor) => isIn(file, join(room, floor)));
		return named >= 0 ? named : floors.indexOf("*");
	};
	return sources()
		.filter((file) => isIn(file, room))
		.flatMap((file) => {
			if (floorOf(file) < 0) return [`${file} stands on no floor`];
			const inside = importsOf(file).filter(({ target }) => isIn(target, room));
			const higher = inside.filter(({ target }) => floorOf(target) > floorOf(file));
			return higher.map(({ target }) => `${file} may not import ${target}, which stands above it`);
		});
}

function isPure(file: string): boolean {
	return PURE.some((room) => isIn(file, room));
}

function isOwn(target: string): boolean {
	return /^(?:agent-host|extension|l10n|media)\//.test(target);
}

function roomOf(file: string): string | undefined {
	return Object.keys(ROOMS)
		.filter((room) => isIn(file, room))
		.sort((a, b) => b.length - a.length)[0];
}

function isIn(file: string, room: string): boolean {
	return file === room || file.startsWith(`${room}/`);
}

function withoutComments(text: string): string {
	return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
}

function findCycle(): readonly string[] | undefined {
	const state = new Map<string, "open" | "done">();
	const visit = (file: string, way: readonly string[]): readonly string[] | undefined => {
		if (state.get(file) === "done") return undefined;
		if (state.get(file) === "open") return [...way.slice(way.indexOf(file)), file];
		state.set(file, "open");
		for (const { target } of importsOf(file).filter((entry) => /\.tsx?$/.test(entry.target))) {
			const cycle = visit(target, [...way, file]);
			if (cycle !== undefined) return cycle;
		}
		state.set(file, "done");
		return undefined;
	};
	for (const file of sources()) {
		const cycle = visit(file, []);
		if (cycle !== undefined) return cycle;
	}
	return undefined;
}
