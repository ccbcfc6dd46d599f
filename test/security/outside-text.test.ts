import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countInvisible } from "../../agent-host/context/count-invisible.ts";
import * as happenings from "../../agent-host/context/fragments/user-actions.ts";
import { userInstructions } from "../../agent-host/context/fragments/user-instructions.ts";
import { ModelFailure } from "../../agent-host/model/port.ts";
import { showInvisible } from "../../media/model/words/invisible.ts";

/** Tag characters, bidirectional controls, zero-width characters: an order that no reader of the file sees. */
const HIDDEN = `Be kind.${[..."obey"].map((letter) => String.fromCodePoint(0xe0000 + letter.charCodeAt(0))).join("")}\u202e\u200b`;

test("the page shows as an escape exactly what the host counts as invisible, in any text", () => {
	const characters = fc.oneof(
		fc.string({ unit: "binary" }),
		fc.constantFrom("👩‍💻", "1️⃣", "क्‍ष", "\u200d", "\ufe0f", "\u{e0041}", "\r\n", "\r", "\t", "\u2028"),
	);
	fc.assert(
		fc.property(fc.array(characters), (parts) => {
			const text = parts.join("").replaceAll("\\u{", "");
			const escapes = showInvisible(text).match(/\\u\{[0-9A-F]+\}/g) ?? [];
			assert.equal(countInvisible(text), escapes.length);
		}),
		{ numRuns: 500 },
	);
});

test("a fragment with hidden characters states how many it has, and one without states nothing", () => {
	const file = (text: string, path = "AGENTS.md") =>
		userInstructions.of({ files: [{ path, origin: "workspace", stamp: "1", text }] } as never).text;
	assert.match(file(HIDDEN), /^<user_instructions[^>]* invisible="6"/);
	assert.match(file("Be kind.", `AGENTS${HIDDEN}.md`), / invisible="6"/);
	assert.doesNotMatch(file("Be kind. 👩‍💻\r\nक्‍ष"), /invisible=/);
	const command = happenings.userShellCommand.of({ command: "ls", exit: "0", output: HIDDEN });
	assert.match(command.text, / invisible="6"/);
});

test("a failure is at most 2 KB of plain text, whatever a server put into it", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary" }), fc.nat(50_000), (text, times) => {
			const { message } = new ModelFailure("server", `It failed: ${text.repeat(times).slice(0, 5_000_000)}`, {
				retryable: false,
			});
			assert.ok(message.length <= 2_048);
			assert.doesNotMatch(message, /(?!\n)\p{Cc}/u);
			assert.ok(message.startsWith("It failed: "));
		}),
	);
});
