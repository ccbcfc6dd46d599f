import assert from "node:assert/strict";
import { test } from "node:test";
import { AThread } from "./a-thread.ts";
import { anApproval } from "./an-approval.ts";
import type { ChatPage } from "./chat-page.ts";
import { usePages } from "./open-page.ts";

const pages = usePages();

interface Ran {
	readonly exitCode?: number;
	readonly output?: string;
	readonly by?: "user";
	readonly status?: "completed" | "failed";
}

function run(
	thread: AThread,
	command: string,
	{ exitCode = 0, output = "", by, status = "completed" }: Ran = {},
): AThread {
	return thread.item({
		...{ kind: "toolCall", callId: `call ${command}`, name: "run_command", title: command, status, output },
		arguments: JSON.stringify({ command }),
		...(status === "completed" && { command: { state: "ended", exitCode, outputFrom: 0 } }),
		...(by && { by }),
	} as never);
}

async function show(thread: AThread, size = { width: 430, height: 833 }): Promise<ChatPage> {
	const page = await pages.reuse();
	await page.tab.setViewportSize(size);
	await page.tell({ type: "thread", threadId: null, title: "" });
	await page.showThread(thread.events);
	await page.takePosted();
	return page;
}

test("links to files open them, in running text, in tables and with a line, and say where they lead", async () => {
	const text = [
		"See [src/tax.js](src/tax.js) and [the test](./test/basket.test.js#L7), or test/tax.test.js:12 there.",
		"",
		"| file |",
		"| --- |",
		"| [a file](docs/My%20notes.md) |",
		"",
		"[odd](javascript:alert(1)) [far](//host/share) at 10:30, example.org:80",
	].join("\n");
	const page = await show(new AThread().turn().ask("Where?").answer(text).end());
	const links = page.tab.locator("[data-file]");
	assert.deepEqual(
		await links.evaluateAll((all) => all.map((one) => [one.textContent, one.getAttribute("data-file")])),
		[
			["src/tax.js", "src/tax.js"],
			["the test", "./test/basket.test.js"],
			["test/tax.test.js:12", "test/tax.test.js"],
			["a file", "docs/My notes.md"],
		],
	);
	assert.match(await page.tab.locator("#transcript").innerText(), /the test \(\.\/test\/basket\.test\.js:7\)/);
	assert.equal(await page.tab.locator("#transcript [href]").count(), 0);
	for (let index = 0; index < 3; index++) await links.nth(index).click();
	assert.deepEqual(await page.takePosted(), [
		{ type: "openFile", path: "src/tax.js" },
		{ type: "openFile", path: "./test/basket.test.js", line: 7 },
		{ type: "openFile", path: "test/tax.test.js", line: 12 },
	]);
});

test("a command that deletes is never folded away, and quick steps name no time", async () => {
	const thread = new AThread().turn().ask("Tidy up");
	for (const command of ["ls", "cat a", "cat b", "rm -rf docs test/tax.test.js", "ls", "cat c", "cat d"])
		run(thread, command);
	const page = await show(thread.answer("Done").end());
	assert.deepEqual(await page.tab.locator("[data-kind=steps]").allInnerTexts(), ["Ran 3 commands", "Ran 3 commands"]);
	assert.equal(await page.tab.getByText("rm -rf docs test/tax.test.js").isVisible(), true);
});

test("a failure shows its last lines; opened, a command shows all of its line to copy, and how its output ends", async () => {
	const long = `node ${"--flag ".repeat(40)}last`;
	const output = Array.from({ length: 200 }, (_, line) => `line ${line}`).join("\n");
	const page = await show(run(new AThread().turn().ask("Try"), long, { exitCode: 128, output }).answer("No").end());
	const row = page.tab.locator("[data-kind=toolCall]");
	assert.match(await row.innerText(), /exit 128/);
	assert.equal(await row.locator(".live-tail").innerText(), "line 195\nline 196\nline 197\nline 198\nline 199");
	await row.locator(".fold-line").click();
	await page.painted();
	assert.equal(await row.locator(".command-whole").innerText(), long);
	await row.getByRole("button", { name: "Copy: Command" }).click();
	assert.deepEqual(await page.takePosted(), [{ type: "copy", text: long }]);
	const rest = await row.locator(".output").evaluate((part) => part.scrollHeight - part.clientHeight - part.scrollTop);
	assert.ok(rest < 2, `${rest} px below`);
});

test("the output of one's own command is there without opening anything", async () => {
	const thread = run(new AThread().turn(), "git status", { by: "user", output: "nothing to commit" });
	const page = await show(thread.end());
	assert.equal(await page.tab.getByText("nothing to commit").isVisible(), true);
});

test("in the narrowest panel nothing of a command's line lies over anything else, and its exit code is whole", async () => {
	for (const width of [168, 285, 430]) {
		const thread = run(new AThread().turn().ask("Try"), "git commit --message 'A rather long one'", { exitCode: 128 });
		const page = await show(thread.answer("No").end(), { width, height: 600 });
		const boxes = await page.tab.locator("[data-kind=toolCall] .fold-line").evaluate((line) =>
			[...line.querySelectorAll(".fold-title, .fold-note, .fold-line > .codicon")]
				.filter((part) => part.checkVisibility())
				.map((part) => {
					const { left, right } = part.getBoundingClientRect();
					return { left, right, isCut: part.scrollWidth > part.clientWidth + 1, text: part.textContent };
				}),
		);
		for (const [index, { left }] of boxes.entries()) {
			if (index > 0) assert.ok(left >= (boxes[index - 1]?.right ?? 0) - 0.5, `${width}: ${JSON.stringify(boxes)}`);
		}
		assert.equal(boxes.find(({ text }) => text === "exit 128")?.isCut, false, String(width));
	}
});

test("a call that the user denied is shown as denied, without their own time", async () => {
	const thread = new AThread().turn().ask("Publish");
	const request = anApproval({ callId: "call npm publish" });
	const call = { kind: "command", id: "publish", callId: request.callId, name: "run_command", title: "" } as const;
	const asked = { ...call, arguments: JSON.stringify({ command: "npm publish" }) };
	thread.begin({ ...asked, status: "running" }).add({ type: "approvalRequested", request });
	thread.add({ type: "approvalResolved", approvalId: "a1", decision: "deny", by: "user" });
	const page = await show(
		thread
			.item({ ...asked, status: "failed" })
			.answer("Then not")
			.end(),
	);
	const row = page.tab.locator("[data-kind=toolCall]");
	assert.match(await row.innerText(), /npm publish\s+denied/);
	assert.equal(await row.locator(".tool-failed").count(), 0);
	assert.equal(await page.tab.locator("[data-kind=approval]").count(), 0, "one row for both");
	await row.locator(".fold-line").click();
	assert.match(await row.locator(".fold-body").innerText(), /^Denied$/m);
});

test("a failure that a later turn has left behind keeps its reason and offers nothing", async () => {
	const failed = new AThread()
		.turn()
		.ask("Go")
		.add({
			...{ type: "turnCompleted", status: "failed" },
			error: { code: "auth", message: "The key was refused.", retryable: false },
		} as never);
	const page = await show(failed);
	assert.ok((await page.tab.locator("[data-kind=turnEnd] button").count()) > 0);
	await page.publish(...failed.turn().ask("Go").answer("Done").end().events.slice(-4));
	assert.match(await page.tab.locator("[data-kind=turnEnd]").innerText(), /The key was refused/);
	assert.equal(await page.tab.locator("[data-kind=turnEnd] button").count(), 0);
});
