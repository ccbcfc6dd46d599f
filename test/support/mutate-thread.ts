import { crc32 } from "node:zlib";

/** Numbers from 0 to 1, the same for the same seed. */
export type Random = () => number;

const WEIRD: readonly unknown[] = [
	...[null, true, -1, 0, 1e308, 2 ** 53, -0.5, "", "x", "\0", "__proto__", "../../x", "a".repeat(70_000)],
	...[[], [[]], {}, [null], { kind: "event" }, { length: 1e9 }, Array.from({ length: 2_000 }, () => ({}))],
	JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
];

/** Pieces of JSON that no encoder writes. */
const ODD_JSON = [
	...["1e400", "99999999999999999999", "-0", "1.5", "NaN", '"\\ud800"', '{"toString":1}', '{"n":1,"n":2}'],
	`${"[".repeat(20_000)}${"]".repeat(20_000)}`,
	`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
];

const FORGED_BODIES: readonly unknown[] = [
	{ kind: "settings", settings: { permissions: { mode: "full" } } },
	{ kind: "envelope", turnId: "t", patch: { identity: { baseUrl: "http://127.0.0.1:9" } } },
	{ kind: "told", snapshot: { permissions: 1 } },
	{ kind: "rewrite", reason: "compaction", keep: 1e9, items: [], starts: [{ turnId: "turn-1", at: 1e9 }] },
	{ kind: "rewrite", reason: "undo", keep: 0, items: [] },
	{ kind: "rewrite", reason: "rollback", keep: 0, items: [null] },
	{ kind: "mute", at: 1e9, line: "x" },
	{ kind: "mute", at: 2, line: { x: 1 } },
	{ kind: "mute", at: "2" },
	{ kind: "items", turnId: "t", items: [{ kind: "toolOutput", callId: "none", output: "x" }] },
	{ kind: "items", turnId: "t", items: "none" },
	{ kind: "partial", turnId: "t", itemId: "i", itemKind: "agentMessage", offset: 1e15, text: "x" },
	{ kind: "touch", turnId: "t", files: [{ path: "/etc/passwd" }] },
	{ kind: "review", marks: [{}] },
	{ kind: "images", turnId: "t", items: [{ kind: "userImage", data: 5 }] },
	{ kind: "request", turnId: "t", digest: null },
	{ kind: "spent", turnId: "t", spent: { turn: {}, thread: null } },
	{ kind: "spent", turnId: "t" },
	{ kind: "thread", threadId: "again", settings: {}, baseInstructions: "x" },
	{ kind: "from-the-future", value: 1 },
	{ kind: "__proto__" },
	{ kind: "event", seq: 1e15, event: { type: "titleChanged", title: "far" } },
	{ kind: "event", seq: -1, event: { type: "titleChanged", title: {} } },
	{ kind: "event", seq: 2, event: { type: "rolledBack", turnIds: "all" } },
	{ kind: "event", seq: 3, event: { type: "turnStarted", turnId: "open", envelope: {} } },
	{ kind: "event", seq: 4, event: { type: "usage", turnId: "t" } },
	{ kind: "event", seq: 5, event: { type: "fromTheFuture" } },
	{ kind: "event", seq: 6, event: null },
	null,
	"body",
];

/** One or more changes to the bytes of a thread's file. What the same numbers choose is always the same. */
export function mutateThread(bytes: Buffer, random: Random): Buffer {
	let mutated = bytes;
	const times = 1 + Math.floor(random() * 3);
	for (let count = 0; count < times; count += 1) mutated = pick(MUTATIONS, random)(mutated, random);
	return mutated;
}

const MUTATIONS: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
	flipBits,
	(bytes, random) => bytes.subarray(0, Math.floor(random() * bytes.length)),
	(bytes, random) => Buffer.concat([bytes, randomBytes(random)]),
	(bytes, random) => inLines(bytes, (lines) => swap(lines, place(lines, random), place(lines, random))),
	(bytes, random) => inLines(bytes, (lines) => lines.toSpliced(place(lines, random), 0, pick(lines, random))),
	(bytes, random) => inLines(bytes, (lines) => lines.toSpliced(place(lines, random), 1)),
	(bytes, random) => inLines(bytes, (lines) => lines.toSpliced(place(lines, random), 0, forgedLine(lines, random))),
	(bytes, random) => inLines(bytes, (lines) => [...lines, forgedLine(lines, random)]),
	(bytes, random) => inOneLine(bytes, random, (json) => changeValue(json, random)),
	(bytes, random) => inOneLine(bytes, random, (json) => changeValue(json, random)),
	(bytes, random) => inOneLine(bytes, random, (json) => spoilNumber(json, random)),
	(bytes, random) => inOneLine(bytes, random, (json) => flipBits(Buffer.from(json), random).toString("latin1")),
	(bytes, random) => inOneLine(bytes, random, (json) => `${json.slice(0, -1)},"refs":${pick(REFS, random)}}`),
	(bytes, random) => inOneLine(bytes, random, (json) => json.replace(/,"seal":"[0-9a-f]*"/, "")),
];

const REFS = [
	"5",
	"[{}]",
	'[{"path":["__proto__","x"],"sha256":"../../x"}]',
	`[{"path":["kind"],"sha256":"${"0".repeat(64)}"}]`,
	`[{"path":["items",0,"text"],"sha256":"${"0".repeat(64)}"}]`,
];

function forgedLine(lines: readonly string[], random: Random): string {
	const n = Math.floor(random() * 3) === 0 ? 1e15 * random() : lines.length + 1;
	return framed(
		JSON.stringify({ v: random() < 0.1 ? 2 : 1, n: Math.floor(n), at: 1, body: pick(FORGED_BODIES, random) }),
	);
}

/** Puts another value at a random place of the record. */
function changeValue(json: string, random: Random): string {
	const record: unknown = parse(json);
	const places = placesIn(record);
	const found = places[Math.floor(random() * places.length)];
	if (found === undefined) return json;
	if (random() < 0.2) {
		found.set("HERE");
		return JSON.stringify(record).replace('"HERE"', pick(ODD_JSON, random));
	}
	if (random() < 0.2) found.remove();
	else found.set(pick(WEIRD, random));
	return JSON.stringify(record);
}

interface Place {
	readonly set: (value: unknown) => void;
	readonly remove: () => void;
}

/** Mutations nest values deeper than any stack; what lies below this is mutated no further. */
const MAX_DEPTH = 500;

function placesIn(value: unknown, depth = 0): readonly Place[] {
	if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return [];
	const holder = value as Record<string, unknown>;
	return Object.keys(holder).flatMap((key) => [
		{
			set: (next: unknown) => {
				holder[key] = next;
			},
			remove: () => {
				delete holder[key];
			},
		},
		...placesIn(holder[key], depth + 1),
	]);
}

function spoilNumber(json: string, random: Random): string {
	const numbers = [...json.matchAll(/(?<=[:[,])\d+/g)];
	const found = numbers[Math.floor(random() * numbers.length)];
	if (found === undefined) return json;
	return json.slice(0, found.index) + pick(ODD_JSON, random) + json.slice(found.index + found[0].length);
}

function flipBits(bytes: Buffer, random: Random): Buffer {
	const copy = Buffer.from(bytes);
	const flips = 1 + Math.floor(random() * 8);
	for (let count = 0; count < flips && copy.length > 0; count += 1) {
		const at = Math.floor(random() * copy.length);
		copy[at] = (copy[at] ?? 0) ^ (1 << Math.floor(random() * 8));
	}
	return copy;
}

function randomBytes(random: Random): Buffer {
	return Buffer.from(Array.from({ length: Math.floor(random() * 300) }, () => Math.floor(random() * 256)));
}

function inOneLine(bytes: Buffer, random: Random, change: (json: string) => string): Buffer {
	return inLines(bytes, (lines) => {
		const at = place(lines, random);
		return lines.toSpliced(at, 1, framed(change((lines[at] ?? "").slice(9))));
	});
}

function inLines(bytes: Buffer, change: (lines: readonly string[]) => readonly string[]): Buffer {
	const text = bytes.toString("latin1");
	const isWhole = text.endsWith("\n");
	const lines = text.split("\n");
	return Buffer.from(`${change(isWhole ? lines.slice(0, -1) : lines).join("\n")}${isWhole ? "\n" : ""}`, "latin1");
}

function framed(json: string): string {
	return `${crc32(Buffer.from(json, "latin1")).toString(16).padStart(8, "0")} ${json}`;
}

function swap(lines: readonly string[], a: number, b: number): readonly string[] {
	return lines.with(a, lines[b] ?? "").with(b, lines[a] ?? "");
}

function place(lines: readonly unknown[], random: Random): number {
	return Math.floor(random() * lines.length);
}

function pick<T>(values: readonly T[], random: Random): T {
	return values[Math.floor(random() * values.length)] as T;
}

function parse(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch {
		return {};
	}
}
