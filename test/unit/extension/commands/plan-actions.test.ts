import assert from "node:assert/strict";
import { test } from "node:test";
import type { goWithPlanInNewThread } from "../../../../extension/commands/chat/plan-actions.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

/** The button, in a window in which the thread `planned` has a plan and another one of another folder is open. */
async function loadGo(host: object): Promise<() => Promise<void>> {
	const loaded = await loadOverPaper<{ readonly goWithPlanInNewThread: typeof goWithPlanInNewThread }>(
		["extension/commands/chat/plan-actions.ts"],
		{ l10n: {} },
	);
	const plans = {
		find: async () => "planned",
		read: async () => ({ text: "1. Do it.", comments: [] }),
		copy: async () => undefined,
		sent: () => undefined,
	};
	const panel = { threadId: () => "open", showThread: async () => undefined, start: async () => undefined };
	const policy = { current: () => ({ cwd: "/two" }) };
	return () => loaded.goWithPlanInNewThread({ host, plans, panel, policy } as never);
}

test("a plan is carried out in a new thread of its own folder, whichever thread is open", async () => {
	const started: unknown[] = [];
	const folders: Readonly<Record<string, string>> = { planned: "/one" };
	const host = {
		request: async (
			{ name }: { readonly name: string },
			params: { readonly threadId: string; readonly cwd?: string },
		) => {
			if (name !== "thread/start") return { cwd: folders[params.threadId] };
			started.push(params.cwd);
			return { threadId: "new" };
		},
	};
	const press = await loadGo(host);
	await press();
	assert.deepEqual(started, ["/one"]);
});

test("a plan is carried out once, however often the button is pressed meanwhile, and again later", async () => {
	const asked: string[] = [];
	const host = {
		request: async ({ name }: { readonly name: string }) => {
			asked.push(name);
			return { threadId: "new" };
		},
	};
	const press = await loadGo(host);
	await Promise.all([press(), press()]);
	assert.deepEqual(asked, ["policy/show", "thread/start"]);
	await press();
	assert.equal(asked.length, 4);
});
