// A command in each state that the sandbox of a machine can be in, with a picture of each. Only with `npm test -- editor
// --full`; with VITRINE_PICTURES set, the pictures in docs/pictures are taken again.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { PROJECT, shownPictureFile } from "../support/editor-paths.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import type { EditorWindow } from "../support/editor-window.ts";
import type { FakeModel } from "../support/fake-model.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { bodyOf } from "../support/request-page.ts";
import { copySample } from "../support/sample.ts";

const BWRAP = "/usr/bin/bwrap";
/** A machine like this one, except that its bubblewrap is not a program. */
const WITHOUT_BWRAP = [BWRAP, "--dev-bind", "/", "/", "--ro-bind", "/dev/null", BWRAP, "--die-with-parent", "--"];
/** A machine whose kernel lets nobody make user namespaces: the limit applies to everything started inside. */
const NO_NAMESPACES = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"';
const WITHOUT_NAMESPACES = ["/usr/bin/unshare", "--map-root-user", "--mount", "/bin/sh", "-c", NO_NAMESPACES, "sh"];

const TRUSTED = { "security.workspace.trust.enabled": false };
const WITHOUT_A_SANDBOX = "Runs without a sandbox, with your rights.";
/** Says whether a process sees more than its sandbox. */
const COMMAND = 'if [ "$(ls -d /proc/[0-9]* | wc -l)" -lt 9 ]; then echo contained; else echo not contained; fi';

const ordinary = createEditorSession();
const withoutBwrap = createEditorSession({ within: WITHOUT_BWRAP });
const withoutNamespaces = createEditorSession({ within: WITHOUT_NAMESPACES });

test(
	"with a sandbox a command runs contained, without an approval",
	ordinary.alone(async (desk) => {
		const { window, chat, model, play } = await openThread(desk, { folder: copySample(desk.editor.root) }, TRUSTED);
		play(calls("run_command", { command: COMMAND }), says("It ran."));
		await chat.ask("Where does it run?");
		await chat.waitForEnd();
		assert.match(lastOutput(model), /\ncontained/);
		await takePicture(window, "sandbox");
	}),
);

test(
	"without a sandbox a command runs uncontained, after a card that says so",
	withoutBwrap.alone(async (desk) => {
		const { window, chat, model, play } = await openThread(desk, { folder: copySample(desk.editor.root) }, TRUSTED);
		await chat.banner("limit").waitFor();
		play(calls("run_command", { command: COMMAND }), says("It ran."));
		await chat.ask("Where does it run?");
		await chat.frame.locator(".approval").getByText(WITHOUT_A_SANDBOX).waitFor();
		await takePicture(window, "no-sandbox-asks");
		await (await chat.question()).decide("allow");
		await chat.waitForEnd();
		assert.match(lastOutput(model), /not contained/);
	}),
);

test(
	"without a sandbox, Full Access runs a command uncontained without an approval, and the window shows it",
	withoutBwrap.alone(async (desk) => {
		const { window, chat, model, play } = await openThread(desk, { folder: copySample(desk.editor.root) }, TRUSTED);
		await chat.banner("limit").waitFor();
		await window.command("Vitrine: Change Permissions…");
		await window.quickPick("Full Access").click();
		await window.page.locator(".monaco-dialog-box").getByRole("button", { name: "Grant Full Access" }).click();
		await window.statusItem(/Full Access/).waitFor();
		play(calls("run_command", { command: COMMAND }), says("It ran."));
		await chat.ask("Where does it run?");
		await chat.waitForEnd();
		assert.match(lastOutput(model), /not contained/);
		await takePicture(window, "no-sandbox-full-access");
	}),
);

test(
	"without bubblewrap a command runs contained in the packaged copy without an approval, and a notice says so",
	withoutBwrap.alone(async (desk) => {
		packCopy(desk.editor.extensions);
		const { window, chat, model, play } = await openThread(desk, { folder: copySample(desk.editor.root) }, TRUSTED);
		await chat.banner("limit").getByText("commands use the copy that comes with Vitrine").waitFor();
		play(calls("run_command", { command: COMMAND }), says("It ran."));
		await chat.ask("Where does it run?");
		await chat.waitForEnd();
		assert.match(lastOutput(model), /\ncontained/);
		await takePicture(window, "sandbox-bundled");
	}),
);

test(
	"where user namespaces are switched off, the first start names the cause and leads to a finished task",
	withoutNamespaces.alone(async (desk) => {
		const folder = copySample(desk.editor.root);
		desk.editor.writeUserSettings(TRUSTED);
		const window = await desk.open({ folder });
		const chat = await window.openChat();
		const banner = await chat.banner("limit").innerText();
		assert.match(banner, /User namespaces are turned off on this system[\s\S]*sysctl -w user\.max_user_namespaces=/);
		await takePicture(window, "no-namespaces-start");
		await chat.ask("Fix the bug in the README");
		for (const kind of ["command", "patch"] as const) {
			const question = await chat.question();
			if (kind === "command") await chat.frame.locator(".approval").getByText(WITHOUT_A_SANDBOX).waitFor();
			await question.decide("allow");
		}
		await chat.waitForEnd();
		// The last rows of the answer: what is above them may be out of sight, below the banner.
		await chat
			.rows("agentMessage")
			.filter({ hasText: /node --test\s*passed/ })
			.waitFor();
		assert.match(readFileSync(join(folder, "src/basket.js"), "utf8"), /pieces >= DISCOUNT_FROM/);
		await takePicture(window, "no-namespaces-done");
	}),
);

function lastOutput(model: FakeModel): string {
	const { input } = bodyOf(model.requests.at(-1) ?? assert.fail());
	return String(input.findLast(({ output }) => output !== undefined)?.output);
}

/** Puts a build with this machine's bubblewrap in its slot where the extension is installed. */
function packCopy(extensions: string): void {
	const place = mkdtempSync(join(tmpdir(), "vitrine-copy-"));
	try {
		const sources = ["agent-host", "extension", "l10n", "media", "docs", "build.ts", "LICENSE"];
		const others = globSync("*.{json,md}", { cwd: PROJECT });
		for (const name of [...sources, ...others]) cpSync(join(PROJECT, name), join(place, name), { recursive: true });
		symlinkSync(join(PROJECT, "node_modules"), join(place, "node_modules"));
		const env = { ...process.env, VITRINE_BWRAP: `linux-${process.arch}=${BWRAP}` };
		execFileSync(process.execPath, ["build.ts"], { cwd: place, env, stdio: "inherit" });
		const [installed = ""] = globSync("vitrine.vitrine-*", { cwd: extensions });
		assert.notEqual(installed, "");
		cpSync(join(place, "dist"), join(extensions, installed, "dist"), { recursive: true });
	} finally {
		rmSync(place, { recursive: true, force: true });
	}
}

async function takePicture(window: EditorWindow, name: string): Promise<void> {
	await window.page.screenshot({ path: shownPictureFile(`backend ${name}`) });
}
