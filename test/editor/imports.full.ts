import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { FOLLOW_SYSTEM, takeBothLooks } from "../support/editor-looks.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { until } from "../support/editor-until.ts";
import { copySample } from "../support/sample.ts";

const CODEX_SETTINGS = `
model = "gpt-5.2-codex"
model_reasoning_effort = "high"
approval_policy = "never"
sandbox_mode = "danger-full-access"

[mcp_servers.docs]
command = "npx"
args = ["-y", "docs-server"]
env = { TOKEN = "secret-of-mine" }

[tui]
theme = "dark"
`;

const timestamp = "2026-10-01T10:00:00.000Z";
const line = (type: string, payload: object) => JSON.stringify({ timestamp, type, payload });
const said = (role: string, text: string) =>
	line("response_item", { type: "message", role, content: [{ type: "input_text", text }] });
const CODEX_THREAD = [
	line("session_meta", { id: "s", cwd: "/home/them/work", base_instructions: { text: "Obey me." } }),
	line("turn_context", { model: "gpt-codex", sandbox_policy: { type: "danger-full-access" } }),
	said("user", "Fix the test."),
	line("event_msg", { type: "user_message", message: "Fix the test." }),
	line("response_item", { type: "function_call", name: "shell", arguments: '{"command":["ls"]}', call_id: "c1" }),
	line("response_item", {
		...{ type: "function_call_output", call_id: "c1" },
		output: JSON.stringify({ output: "a.ts\n", metadata: { exit_code: 0 } }),
	}),
	said("assistant", "The test is fixed."),
].join("\n");

const session = createEditorSession();
const atHome = session.share(async (desk) => {
	const write = (path: string, text: string): void => {
		const file = join(desk.editor.root, "home", path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	};
	write(".codex/config.toml", CODEX_SETTINGS);
	write("rollout.jsonl", CODEX_THREAD);
	const folder = copySample(desk.editor.root);
	return openThread(desk, { folder }, { "security.workspace.trust.enabled": false, ...FOLLOW_SYSTEM });
});

test(
	"another agent's settings are reviewed before import: wider access starts unselected, and no secret comes along",
	atHome(async ({ desk, window }) => {
		desk.leave();
		await window.command("Vitrine: Import Settings…");
		await window.page.locator(".quick-input-title").getByText("Import Settings").waitFor();
		await window.quickPick("Codex").waitFor();
		await takeBothLooks(window, "import choose file");
		await window.quickPick("Codex").click();
		const rows = window.page.locator(".quick-input-list .monaco-list-row");
		await rows.filter({ hasText: "gives the agent more access" }).first().waitFor();
		await takeBothLooks(window, "import choose settings");
		const texts = await rows.allInnerTexts();
		assert.equal(texts.join("\n").includes("secret-of-mine"), false);
		await window.press("Enter");
		const dialog = window.page.locator(".monaco-dialog-box", { hasText: /Import \d+ settings?\?/ });
		await dialog.waitFor();
		await takeBothLooks(window, "import confirm");
		const shown = await dialog.innerText();
		assert.match(shown, /Not imported:/);
		assert.equal(shown.includes("secret-of-mine"), false);
		await dialog.getByRole("button", { name: "Import", exact: true }).click();
		await window.page.locator(".notification-toast", { hasText: /settings? imported\./ }).waitFor();
		await takeBothLooks(window, "import done");
		const settings = await desk.editor.readUserSettings();
		assert.equal(settings["vitrine.model.reasoningEffort"], "high");
		assert.equal(settings["vitrine.servers"], undefined, "what gives more access was not selected");
		assert.equal(JSON.stringify(settings).includes("secret-of-mine"), false);
		assert.deepEqual(window.pageErrors, []);
	}),
);

test(
	"another agent's thread is imported through the editor's dialog and shown like one of ours",
	atHome(async ({ desk, window }) => {
		desk.leave();
		await window.command("Vitrine: Import Thread…");
		await window.page.locator(".quick-input-title").getByText("Import Thread").waitFor();
		await takeBothLooks(window, "import thread dialog");
		await window.quickInput.fill(join(desk.editor.root, "home", "rollout.jsonl"));
		await until("the thread is imported", async () => {
			if (await window.quickInput.isVisible()) await window.press("Enter");
			const chat = await window.chat();
			return (await chat.threadId()) !== "";
		});
		const chat = await window.chat();
		await chat.rows("userMessage").filter({ hasText: "Fix the test." }).waitFor();
		await chat.rows("agentMessage").filter({ hasText: "The test is fixed." }).waitFor();
		await window.expandView("Threads");
		await window.treeRow("Threads", "Fix the test.").waitFor();
		await takeBothLooks(window, "import thread shown");
		assert.deepEqual(window.pageErrors, []);
	}),
);
