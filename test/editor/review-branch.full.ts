// A review of a branch, with the editor's own Git.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noteTexts } from "../support/editor-noted.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { says } from "../support/fake-model-steps.ts";

const session = createEditorSession({ builtIn: ["git", "git-base", "node_modules"] });
const SETTINGS = { "security.workspace.trust.enabled": false, "git.enabled": true };
const NOBODY = ["-c", "user.name=nobody", "-c", "user.email=nobody@example.org"];

test(
	"a review against a branch covers what came after the fork point, and names that cannot be compared say why",
	session.alone(async (desk) => {
		const folder = desk.editor.folder({ "shared.txt": "shared\n" });
		const git = (...args: readonly string[]) => execFileSync("git", ["-C", folder, ...NOBODY, ...args]);
		const commit = (name: string): void => {
			writeFileSync(join(folder, name), `of ${name}\n`);
			git("add", ".");
			git("commit", "--quiet", `--message=${name}`);
		};
		git("init", "--quiet", "--initial-branch=main");
		commit("first.txt");
		git("switch", "--quiet", "--create", "feature");
		commit("feature.txt");
		git("switch", "--quiet", "main");
		commit("later.txt");
		git("switch", "--quiet", "feature");
		const { window, chat, model, play } = await openThread(desk, { folder }, SETTINGS);
		await window.statusItem("feature").waitFor();
		const said = await noteTexts(window.page.mainFrame(), ".notification-toast");
		const type = async (text: string): Promise<void> => {
			await chat.composer.fill(text);
			await chat.send.click();
		};
		const isRefused = async (text: string): Promise<void> => {
			await until(`the user is told: ${text}`, async () => (await said()).some((one) => one.includes(text)));
		};

		await type("/review branch feature");
		await isRefused("“feature” is the current branch. Name the branch to compare it with.");
		await type("/review branch nowhere");
		await isRefused("There is no branch “nowhere” in this repository.");
		assert.equal(model.requests.length, 0);

		play(says("Nothing to complain about."));
		await type("/review branch main");
		await until("the review was asked for", () => model.requests.length === 1);
		await chat.waitForEnd();
		const request = JSON.stringify(model.requests[0]?.body);
		assert.match(request, /Review the attached changes of this branch since main\./);
		assert.match(request, /changes of branch feature since main, files: 1/);
		assert.match(request, /\+of feature\.txt/);
		assert.doesNotMatch(request, /later\.txt/);
		assert.deepEqual(window.pageErrors, []);
	}),
);
