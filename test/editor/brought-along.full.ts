import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FOLLOW_SYSTEM, takeBothLooks } from "../support/editor-looks.ts";
import { PROJECT } from "../support/editor-paths.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { type OpenThread, openThread } from "../support/editor-thread.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { bodyOf } from "../support/request-page.ts";
import { copySample } from "../support/sample.ts";

const FORMATS = join(PROJECT, "test", "fixtures", "public-formats");
const CHECKER = "---\nname: checker\ndescription: Checks links.\ntools: Read, Grep\n---\nOpen every link.\n";
const session = createEditorSession();

test(
	"one card accepts skills, commands, hooks and agent files in public formats; plugins install, run and uninstall",
	session.alone(async (desk) => {
		const folder = copySample(desk.editor.root);
		cpSync(join(FORMATS, "workspace"), folder, { recursive: true });
		mkdirSync(join(folder, ".claude/agents"));
		writeFileSync(join(folder, ".claude/agents/checker.md"), CHECKER);
		const settings = { "security.workspace.trust.enabled": false, ...FOLLOW_SYSTEM };
		const opened = await openThread(desk, { folder }, settings);
		const { window, chat, play, model } = opened;
		await window.page.setViewportSize({ width: 1_400, height: 1_000 });

		play(says("Written."));
		await chat.ask("$changelog 1.4");
		const consent = await chat.question();
		assert.match(await consent.text(), /changelog.*explain.*settings\.json.*checker/s);
		await takeBothLooks(window, "brought along consent");
		await consent.decide("allow");
		await chat.waitForEnd();
		assert.match(lastText(opened), /Write one line for version 1\.4\./);

		play(says("Explained."));
		await chat.ask("/explain README.md");
		await chat.waitForEnd();
		assert.match(lastText(opened), /Explain README\.md to somebody who is new here\. Everything asked: README\.md/);

		play(
			calls("run_command", { command: "echo forbidden" }),
			calls("run_command", { command: "echo fine" }),
			says("Both were tried."),
		);
		await chat.ask("Run both.");
		await chat.rows("agentMessage").filter({ hasText: "Both were tried." }).waitFor();
		await chat.waitForEnd();
		const [refused = "", ran = ""] = outputsIn(opened).slice(-2);
		assert.match(refused, /Not in this project\./);
		assert.match(ran, /\nfine/);
		await takeBothLooks(window, "brought along hook");

		await install(opened, join(FORMATS, "plugin"), "tidy 1.2.0", "brought along plugin");
		await install(opened, join(FORMATS, "inline-plugin"), "tidy-inline 1.0.0", "brought along inline plugin");
		play(
			calls("use_skill", { name: "tidy-up" }),
			calls("mcp__shelf__read_label", {}),
			calls("run_command", { command: "echo swept" }),
			says("All is tidy."),
		);
		await chat.ask("/sort-imports main.ts");
		const card = await chat.question();
		assert.match(await card.text(), /shelf.*read_label/s);
		await takeBothLooks(window, "brought along plugin card");
		await card.decide("allow");
		await chat.rows("agentMessage").filter({ hasText: "All is tidy." }).waitFor();
		await chat.waitForEnd();
		assert.match(lastText(opened), /Sort the imports of main\.ts\./);
		const [read = "", label = "", swept = ""] = outputsIn(opened).slice(-3);
		assert.match(read, /read references\/rules\.md/);
		assert.equal(label, "Leave the place tidy.");
		assert.match(swept, /Not without a broom\./);

		await window.command("Vitrine: Show Context Inspector");
		const inspector = await window.frameWith('body[data-view="vitrine.context"] #sources');
		const agents = inspector.locator("#sources li", { hasText: ".claude/agents" });
		assert.match(await agents.innerText(), /^\s*Agents.*about \d+ tokens per request/s);
		const kinds = await inspector.locator("#sources li label > span:first-of-type").allInnerTexts();
		assert.deepEqual([...new Set(kinds)].sort(), ["Agents", "Hooks", "Plugin", "Skills"]);
		await takeBothLooks(window, "brought along inspector");
		await agents.getByRole("checkbox").click();
		await agents.getByText("off, would add").waitFor();
		play(says("Without it."));
		await chat.ask("Who is there?");
		await chat.waitForEnd();
		assert.match(lastText(opened), /No longer available:\\n- checker/);

		for (const name of ["tidy-inline 1.0.0", "tidy 1.2.0"]) {
			await window.command("Vitrine: Remove Plugin…");
			await window.quickPick(name).click();
			const [plain] = name.split(" ");
			await window.page.locator(".notification-toast", { hasText: `Plugin ${plain} removed.` }).waitFor();
		}
		assert.deepEqual(readdirSync(join(desk.editor.storage, "plugins")), []);
		play(says("Gone."));
		const before = model.requests.length;
		await chat.ask("And now?");
		await chat.waitForEnd();
		const sent = bodyOf(model.requests[before] ?? assert.fail("no request came"));
		assert.ok(!sent.tools.some(({ name = "" }) => name.startsWith("mcp__")));
		assert.deepEqual(window.pageErrors, []);
	}),
);

/** Installs a folder with the editor's own dialogs, as a user does. */
async function install({ window }: OpenThread, folder: string, name: string, picture: string): Promise<void> {
	await window.command("Vitrine: Install Plugin…");
	await window.page.locator(".quick-input-title").getByText("Choose the plugin's folder").waitFor();
	// The dialog begins with a folder of its own, once it has listed it.
	await window.quickPick("..").waitFor();
	await window.quickInput.fill(`${folder}/`);
	await window.page.locator(".quick-input-widget").getByRole("button", { name: "Install Plugin" }).click();
	const dialog = window.page.locator(".monaco-dialog-box", { hasText: `Install the plugin ${name}?` });
	await dialog.waitFor();
	await takeBothLooks(window, picture);
	await dialog.getByRole("button", { name: "Install", exact: true }).click();
	const [plain] = name.split(" ");
	await window.page.locator(".notification-toast", { hasText: `Plugin ${plain} installed.` }).waitFor();
}

function lastText({ model }: OpenThread): string {
	return model.requests.at(-1)?.text ?? "";
}

/** The results of tools that the last request held, in order. */
function outputsIn({ model }: OpenThread): readonly string[] {
	const { input } = bodyOf(model.requests.at(-1) ?? assert.fail("no request came"));
	return input.flatMap(({ output }) => (output === undefined ? [] : [String(output)]));
}
