import assert from "node:assert/strict";
import { test } from "node:test";
import { readToml, TomlError } from "../../../../../extension/commands/import/read-toml.ts";

/** Tables have no prototype. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

test("a settings file in TOML is read: comments, tables, lists, texts of every kind", () => {
	const text = `# mine
model = "gpt-5"   # the usual
limit = 1_000
ratio = 0.5
[a.b]
'quoted key' = 'C:\\path'
"x.y" = "tab\\t\\u00e9"
list = [
  "one", # first
  "two",
]
inline = { k = true, deep.er = [1, 2] }
[[c]]
n = 1
[[c]]
n = 2
[d]
long = """
first
second \\
  joined"""
`;
	assert.deepEqual(plain(readToml(text)), {
		model: "gpt-5",
		limit: 1_000,
		ratio: 0.5,
		a: {
			b: {
				"quoted key": "C:\\path",
				"x.y": "tab\té",
				list: ["one", "two"],
				inline: { k: true, deep: { er: [1, 2] } },
			},
		},
		c: [{ n: 1 }, { n: 2 }],
		d: { long: "first\nsecond joined" },
	});
});

const BAD: Readonly<Record<string, readonly [text: string, line: number]>> = {
	"a date": ["a = 1\nb = 2026-11-17\n", 2],
	"a repeated key": ["a = 1\na = 2\n", 2],
	"a value in place of a table": ["a = 1\n[a]\n", 2],
	"an unterminated string": ['a = "x\n', 1],
	"two values on one line": ["a = 1 b = 2\n", 1],
	"an unterminated list": ["a = [1, 2\n", 2],
	"a bare word": ["a = yes\n", 1],
	"unterminated nested lists": [`a = ${"[".repeat(100)}`, 1],
};

for (const [what, [text, line]] of Object.entries(BAD)) {
	test(`an error is reported with its line: ${what}`, () => {
		assert.throws(
			() => readToml(text),
			(error) => error instanceof TomlError && error.line === line,
		);
	});
}

test("a key with the name of something every object has is an ordinary key", () => {
	const { __proto__: own, constructor: made } = readToml('__proto__ = "p"\nconstructor = "c"\n') as Record<
		string,
		unknown
	>;
	assert.deepEqual([own, made], ["p", "c"]);
});
