// Runs the test files whose names come from workers.ts, one after the other, and says what came of each.
import { join } from "node:path";
import { run } from "node:test";
import { PROJECT } from "./editor-paths.ts";
import { reportTests } from "./reporter.ts";
import type { Said } from "./workers.ts";

process.on("message", async (file: string) => {
	// A file has ended when nothing of it is left to wait for; the wait for the next file is none of it.
	process.channel?.unref();
	const events = run({ files: [join(PROJECT, file)], isolation: "none" });
	const report = await reportTests(file, events, (name) => say({ kind: "test", name }));
	process.channel?.ref();
	say({ kind: "file", report });
});

function say(said: Said): void {
	process.send?.(said);
}
