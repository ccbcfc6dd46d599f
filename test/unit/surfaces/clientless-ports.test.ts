import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { clientlessPorts } from "../../../agent-host/surfaces/cli/clientless-ports.ts";

test("what a file is called cannot control the terminal that a warning is printed on", () => {
	const stderr = new PassThrough({ encoding: "utf8" });
	const { warn, log } = clientlessPorts(stderr);
	warn({ code: "sandbox-missing", message: "\u001b[2J is closed.", fix: "Open \u202ecod.sh." });
	log("warning", "/w/\u001b]0;owned\u0007/.git was renamed.");
	log("info", "nothing");
	assert.equal(
		stderr.read(),
		"\\u{1b}[2J is closed. Open \\u{202e}cod.sh.\n/w/\\u{1b}]0;owned\\u{7}/.git was renamed.\n",
	);
});
