import { aReport } from "./a-report.ts";
import { AThread } from "./a-thread.ts";
import { aCommand, anApproval, aPatch } from "./an-approval.ts";
import { aPanel, type ChatPage } from "./open-page.ts";

/** A state of the panel that a person can meet, the way to it, and what to look for in its picture. */
export interface State {
	readonly name: string;
	readonly judgement: string;
	readonly show: (page: ChatPage) => Promise<unknown>;
}

const ANSWER =
	"The clock was read twice: once for the deadline and once in the loop of `src/retry.ts:40`, so a slow machine could see two times.\n\n```ts\nconst now = clock.now();\n```\n\n| test | before | after |\n| - | -: | -: |\n| retry | 1 of 20 fails | 0 of 500 |\n\n- [x] reproduce\n- [ ] document";

/** Every state that the panel can be in, from empty to stopped. */
export const STATES: readonly State[] = [
	{
		name: "welcome",
		judgement: "One question, what the agent may do, three ways to begin; nothing else asks for attention.",
		show: (page) => showEmpty(page, aPanel({ policy: { mode: "workspaceWrite", name: "workspace, no network" } })),
	},
	{
		name: "answered",
		judgement: "Prompt, steps and answer are told apart at a glance; the step lines are quieter than the words.",
		show: (page) => showNow(page, anAnsweredThread().end(), "Fix flaky retry test"),
	},
	{
		name: "running",
		judgement: "What runs, for how long, and how to stop stand in one line above the prompt.",
		show: (page) => {
			const thread = anAnsweredThread().end().turn().ask("And now run all of them");
			thread.begin({ ...aCall("run_command", { command: "npm test" }), status: "running" });
			return showNow(page, thread, "Fix flaky retry test");
		},
	},
	{
		name: "approval",
		judgement: "The command is the largest thing; the safe answer comes first, and what “always” means is said.",
		show: (page) => {
			const thread = new AThread().turn().ask("Publish it");
			thread.add({ type: "approvalRequested", request: anApproval({ subject: aCommand() }) });
			return showNow(page, thread, "Publish");
		},
	},
	{
		name: "approval-patch",
		judgement: "Files outside of the workspace stand out in colour and in words before the diff begins.",
		show: (page) => {
			const thread = new AThread().turn().ask("Clean up");
			thread.add({ type: "approvalRequested", request: anApproval({ subject: aPatch() }) });
			return showNow(page, thread, "Clean up");
		},
	},
	{
		name: "review",
		judgement: "Open changes wait in a bar that is always in the same place, with both ways out.",
		show: async (page) => {
			const thread = anAnsweredThread().add({
				type: "filesChanged",
				files: 3,
				paths: ["retry.ts", "clock.ts", "a.ts"],
			});
			await showNow(page, thread.end(), "Fix flaky retry test");
			await page.tell({ type: "panel", panel: aPanel({ changes: { files: 3, hunks: 7 } }) });
		},
	},
	{
		name: "compacted",
		judgement: "What a compaction replaced is one line, open to everything it kept and dropped, with Undo beside it.",
		show: async (page) => {
			const thread = anAnsweredThread().item(aReport());
			await showNow(page, thread.end(), "Fix flaky retry test");
			await page.tab.locator("[data-kind=contextCompaction] .fold-line").click();
		},
	},
	{
		name: "error",
		judgement: "The cause is one sentence and the first button is the one that helps.",
		show: (page) => {
			const error = { code: "auth", message: "The server refused the key. Set up the model again." } as const;
			const thread = new AThread().turn().ask("Explain this workspace");
			return showNow(page, thread.add({ type: "turnCompleted", status: "failed", error }), "Explain");
		},
	},
	{
		name: "restricted",
		judgement: "Restricted Mode is said once, at the top, with the way out; the prompt stays usable.",
		show: (page) => showEmpty(page, aPanel({ trusted: false })),
	},
	{
		name: "no-folder",
		judgement: "What is missing and what still works are one sentence.",
		show: (page) => showEmpty(page, aPanel({ folders: [] })),
	},
	{
		name: "host-down",
		judgement: "The reason, Restart and the log; the thread stays readable below.",
		show: async (page) => {
			await showNow(page, anAnsweredThread().end(), "Fix flaky retry test");
			const reason = "The agent host ended 5 times within 3 minutes and was not started again.";
			await page.tell({ type: "panel", panel: aPanel({ host: { state: "stopped", reason } }) });
		},
	},
	{
		name: "no-model",
		judgement: "A model without a key says so above the prompt, before a turn can fail.",
		show: (page) => showEmpty(page, aPanel({ model: { provider: "openai", label: "gpt-5.1", incomplete: true } })),
	},
	{
		name: "find",
		judgement: "The count tells where one is; what was found is coloured without moving the text.",
		show: async (page) => {
			await showNow(page, anAnsweredThread().end(), "Fix flaky retry test");
			await page.tab.keyboard.press("Control+f");
			await page.tab.keyboard.type("clock");
		},
	},
];

/** As if it had begun some seconds ago, so that no picture shows half a century of work. */
async function showNow(page: ChatPage, thread: AThread, title: string): Promise<void> {
	const at = Date.now() - 12_000;
	await page.showThread(
		thread.events.map((event) => ({ ...event, at })),
		title,
	);
}

async function showEmpty(page: ChatPage, panel: ReturnType<typeof aPanel>): Promise<void> {
	await page.tell({ type: "thread", threadId: null, title: "" }, { type: "panel", panel });
}

const END = { exitCode: 0, durationMs: 4_100, containment: "sandboxed", sandbox: "workspace, no network" } as const;

function anAnsweredThread(): AThread {
	const thread = new AThread().turn().ask("make the retry test deterministic");
	thread.item({ ...aCall("read_file", { path: "src/retry.ts" }), title: "Read src/retry.ts", status: "completed" });
	const output = "Exit code 0 after 4.1 s.\nOutput:\n12 passed";
	thread.item({ ...aCall("run_command", { command: "npm test -- retry" }), status: "completed", output, command: END });
	const patch =
		"*** Begin Patch\n*** Update File: src/retry.ts\n@@\n-const now = Date.now();\n+const now = clock.now();\n*** End Patch";
	thread.item({ ...aCall("apply_patch", { patch }), status: "completed" });
	return thread.answer(ANSWER);
}

function aCall(name: string, args: object) {
	return { kind: "toolCall", callId: "c", name, title: "", arguments: JSON.stringify(args), output: "" } as const;
}
