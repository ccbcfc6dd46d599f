// biome-ignore-all lint/suspicious/noControlCharactersInRegex: control characters are what this is about
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { keepTextAndColours } from "../../../../extension/panel/open/terminal-text.ts";

test("a terminal gets text and colours of a command, and nothing else that it would obey", () => {
	const clipboard = "\x1b]52;c;aGFybQ==\x07";
	const written = `\x1b[31mred\x1b[0m\x1b[2J\x1b[1;1H${clipboard}\x1b]0;title\x1b\\ done\x08\x9b5n\n\tnext\r\n`;
	assert.equal(keepTextAndColours(written), "\x1b[31mred\x1b[0m done5n\r\n\tnext\r\n");
});

test("only colours remain of a command's control characters, whatever it writes", () => {
	const noise = fc.array(fc.constantFrom("\x1b", "[", "]", "3", "m", "H", ";", "\x07", "\\", "\x9b", "P", "a", "\n"), {
		maxLength: 30,
	});
	fc.assert(
		fc.property(noise, (pieces) => {
			const rest = keepTextAndColours(pieces.join(""))
				.replaceAll(/\x1b\[[\d;:]*m/g, "")
				.replaceAll("\r\n", "");
			return !/[\x00-\x1f\x7f-\x9f]/.test(rest);
		}),
	);
});
