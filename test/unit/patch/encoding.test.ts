import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { decodeIn, encodeIn, encodingOfMark, findEncoding } from "../../../agent-host/patch/encoding.ts";

const SAMPLES = {
	shiftjis: "日本語のテキスト、カナ、ｶﾅ、①Ⅳ、表示、ソ",
	eucjp: "日本語のテキスト",
	gbk: "简体中文，测试。",
	gb18030: "简体中文",
	cp950: "繁體中文，測試。許功蓋",
	euckr: "한국어 텍스트",
	windows1252: "Grüße für 5 €, “quoted”",
	iso885915: "Grüße für 5 €",
	windows1251: "Привет, мир",
	koi8r: "Привет",
} as const;

test("text of every common encoding is read and written back, byte for byte", () => {
	for (const [name, text] of Object.entries(SAMPLES)) {
		const encoding = findEncoding(name) ?? assert.fail(name);
		const bytes = encodeIn(text, encoding);
		assert.ok(bytes instanceof Uint8Array, `${name}: ${JSON.stringify(bytes)}`);
		assert.equal(decodeIn(bytes, encoding), text, name);
	}
	// As other programs write them.
	assert.equal(Buffer.from(encodeIn("十", "shift_jis") as Uint8Array).toString("hex"), "8f5c");
	assert.equal(Buffer.from(encodeIn("十", "gbk") as Uint8Array).toString("hex"), "caae");
	assert.equal(Buffer.from(encodeIn("€", "iso-8859-15") as Uint8Array).toString("hex"), "a4");
	assert.equal(Buffer.from(encodeIn("纊", "shift_jis") as Uint8Array).toString("hex"), "fa5c");
});

test("everything that an encoding can write is read back", () => {
	const encodings = Object.keys(SAMPLES).map((name) => findEncoding(name) ?? assert.fail(name));
	fc.assert(
		fc.property(fc.constantFrom(...encodings), fc.string({ unit: "grapheme" }), (encoding, text) => {
			const bytes = encodeIn(text, encoding);
			if (bytes instanceof Uint8Array) assert.equal(decodeIn(bytes, encoding), text);
			else assert.ok(text.includes(bytes.missing));
		}),
	);
});

test("a character that the encoding lacks is named", () => {
	assert.deepEqual(encodeIn("price: 5 €", "shift_jis"), { missing: "€" });
	assert.deepEqual(encodeIn("ok 🙂", "gbk"), { missing: "🙂" });
});

test("ISO 8859-1, -9 and -11 have control codes where the Windows encodings have characters, as the editor reads them", () => {
	for (const name of ["iso88591", "iso88599", "iso885911"]) {
		const encoding = findEncoding(name) ?? assert.fail(name);
		assert.deepEqual(encodeIn("5 €", encoding), { missing: "€" }, name);
		const bytes = Uint8Array.of(0x61, 0x80, 0x85, 0x62, 0xa1);
		const text = decodeIn(bytes, encoding) ?? assert.fail(name);
		assert.equal(text.slice(0, 4), "a\u0080\u0085b", name);
		assert.deepEqual(Uint8Array.from(encodeIn(text, encoding) as Uint8Array), bytes, name);
	}
	const turkish = findEncoding("iso88599") ?? assert.fail();
	assert.equal(decodeIn(encodeIn("İıŞşĞğ", turkish) as Uint8Array, turkish), "İıŞşĞğ");
});

test("UTF-16 keeps its byte-order mark and its order of bytes", () => {
	const text = "\uFEFFa€🙂";
	const big = encodeIn(text, "utf-16be") as Uint8Array;
	assert.equal(Buffer.from(big).toString("hex"), "feff006120acd83dde42");
	assert.equal(encodingOfMark(big), "utf-16be");
	assert.equal(decodeIn(big, "utf-16be"), text);
	assert.equal(encodingOfMark(encodeIn(text, "utf-16le") as Uint8Array), "utf-16le");
});

test("bytes that are not valid in an encoding are no text", () => {
	assert.equal(decodeIn(Uint8Array.of(0x81), "shift_jis"), undefined);
	assert.equal(findEncoding("utf8"), undefined);
	assert.equal(findEncoding("cp437"), undefined);
});
