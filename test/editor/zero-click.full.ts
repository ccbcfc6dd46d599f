import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { git, makeRepositories, PLANTED_IN, PLANTINGS, withTrap } from "../support/plantings.ts";

/** How long the editor is left alone with what a command has left. */
const WATCHED_MS = 60_000;
const LOOK_MS = 250;

/** The built-in Git with its defaults, except that it looks for repositories at any depth. */
const SETTINGS = {
	"security.workspace.trust.enabled": false,
	"git.enabled": true,
	"git.autoRepositoryDetection": true,
	"git.repositoryScanMaxDepth": -1,
	"git.openRepositoryInParentFolders": "always",
};

const session = createEditorSession({ builtIn: "all" });

const inRepository = session.share(async (desk) => {
	const folder = desk.editor.folder(PLANTED_IN);
	git(folder, "init", "-q");
	makeRepositories(folder);
	return { ...(await openThread(desk, { folder }, SETTINGS)), folder };
});

for (const [what, script] of Object.entries(PLANTINGS)) {
	test(
		`the editor runs nothing in ${WATCHED_MS / 1_000} s after a command planted a program in ${what}`,
		inRepository(async ({ desk, chat, play }) => {
			const mark = join(desk.editor.root, `sprung by ${what}`);
			play(calls("run_command", { command: withTrap(script, `touch '${mark}'`) }), says("Done."));
			await chat.ask("Plant it.");
			await chat.waitForEnd();
			await staysAway(mark);
		}),
	);
}

test(
	"the trap works: when the user plants it in a repository, the editor runs it by itself",
	session.alone(async (desk) => {
		const folder = desk.editor.folder(PLANTED_IN);
		git(folder, "init", "-q");
		makeRepositories(folder);
		await openThread(desk, { folder }, SETTINGS);
		const mark = join(desk.editor.root, "sprung");
		git(join(folder, "lib"), "config", "core.fsmonitor", `touch '${mark}'`);
		await until("the editor has run it", () => existsSync(mark));
	}),
);

async function staysAway(mark: string): Promise<void> {
	const end = Date.now() + WATCHED_MS;
	while (Date.now() < end) {
		assert.equal(existsSync(mark), false, "the editor has run what the command had planted");
		await pause(LOOK_MS);
	}
}
