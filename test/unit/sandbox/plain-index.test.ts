import assert from "node:assert/strict";
import { test } from "node:test";
import { isPlainIndex } from "../../../agent-host/sandbox/repository/plain-index.ts";

const HASH_BYTES = 20;

/** An index of version 2, without hashes and facts of files, which nobody compares. */
function anIndex(names: readonly string[], extensions: readonly (readonly [string, Buffer])[] = []): Buffer {
	const head = Buffer.alloc(12);
	head.write("DIRC");
	head.writeUInt32BE(2, 4);
	head.writeUInt32BE(names.length, 8);
	const after = extensions.flatMap(([signature, bytes]) => [Buffer.from(signature), number(bytes.length), bytes]);
	return Buffer.concat([head, ...names.map(entry), ...after, Buffer.alloc(HASH_BYTES)]);
}

function entry(name: string): Buffer {
	const bytes = Buffer.from(name);
	const whole = Buffer.alloc((62 + bytes.length + 8) & ~7);
	whole.writeUInt16BE(Math.min(bytes.length, 0xfff), 60);
	bytes.copy(whole, 62);
	return whole;
}

function number(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

test("an index is plain if Git would let each of its names be staged", async () => {
	const plain = [
		"a",
		".gitignore",
		".github/x",
		"a/.gitmodules",
		"a/...",
		"git~2",
		"ü/.gitx",
		"sparse/",
		"n".repeat(4_096),
	];
	for (const name of plain) assert.equal(await isPlainIndex(anIndex([name]), HASH_BYTES), true, name);
	const others = [
		".git/config",
		"a/.GIT/x",
		"a/.git",
		"../x",
		"a/../x",
		"/etc/x",
		"a//x",
		"./x",
		"",
		"/",
		"GIT~1/x",
		".git /x",
	];
	for (const name of [...others, ".g\u200cit/x", ".git::$INDEX_ALLOCATION/x"])
		assert.equal(await isPlainIndex(anIndex(["a", name]), HASH_BYTES), false, name);
});

test("an index that could be read in two ways is not plain", async () => {
	const index = anIndex(["a", "b"]);
	assert.equal(await isPlainIndex(index, HASH_BYTES), true);
	const offsets = (second: number) => Buffer.concat([1, 12, 1, second, 1].map(number));
	assert.equal(await isPlainIndex(anIndex(["a", "b"], [["IEOT", offsets(76)]]), HASH_BYTES), true);
	const hidden = Buffer.concat([entry(".git/config"), number(0)]);
	const altered = (at: number, byte: number) => {
		const copy = Buffer.from(index);
		copy[at] = byte;
		return copy;
	};
	const unclear = {
		"entries that are read elsewhere": anIndex(
			["a", "b"],
			[
				["junk", hidden],
				["IEOT", offsets(140 + 8)],
			],
		),
		"a part in another file": anIndex(["a", "b"], [["link", Buffer.alloc(HASH_BYTES)]]),
		"another signature": altered(0, 0),
		"another version": altered(7, 5),
		"more entries than there are": altered(11, 3),
		"fewer entries than there are": altered(11, 1),
		"a name that is shorter than it says": altered(12 + 61, 2),
		"less than a head": index.subarray(0, 30),
		"hashes of another length": Buffer.concat([index, Buffer.alloc(4)]),
	};
	for (const [what, bytes] of Object.entries(unclear)) assert.equal(await isPlainIndex(bytes, HASH_BYTES), false, what);
});
