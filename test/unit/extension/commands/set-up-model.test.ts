import assert from "node:assert/strict";
import { test } from "node:test";
import type { setUpModel } from "../../../../extension/commands/model/set-up-model.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

interface Row {
	readonly label: string;
}

/** Runs the command where the settings name the demo model already, and accepts that row or none. */
async function setUp(label: string | undefined) {
	const [accepts, hides] = [new PaperEmitter(), new PaperEmitter()];
	const pick = {
		...{ items: [] as readonly Row[], activeItems: [], selectedItems: [] as readonly Row[] },
		...{ onDidAccept: accepts.event, onDidHide: hides.event, dispose: () => undefined },
		show() {
			pick.selectedItems = pick.items.filter((row) => row.label === label);
			setImmediate(() => (label === undefined ? hides : accepts).fire(undefined));
		},
	};
	const inspect = (id: string) => ({ globalValue: id === "vitrine.model.provider" ? "demo" : undefined });
	const loaded = await loadOverPaper<{ readonly setUpModel: typeof setUpModel }>(
		["extension/commands/model/set-up-model.ts"],
		{
			...{ ConfigurationTarget: {}, QuickPickItemKind: {} },
			window: { createQuickPick: () => pick },
			lm: { selectChatModels: async () => [], onDidChangeChatModels: new PaperEmitter().event },
			workspace: { isTrusted: true, getConfiguration: () => ({ inspect, update: async () => undefined }) },
		},
	);
	const asked: unknown[] = [];
	const host = {
		request: async (
			{ name }: { readonly name: string },
			params: { readonly settings?: { readonly model: object } },
		) => {
			if (name === "thread/settings") asked.push(params.settings?.model);
			return { servers: [] };
		},
	};
	const panel = { threadId: () => "a", focusInput: async () => undefined };
	await loaded.setUpModel({ host, panel, keys: { list: () => [] } } as never);
	return asked;
}

test("the open thread gets the model that was set up, even if the settings already named it; cancelling changes nothing", async () => {
	assert.deepEqual(await setUp("Demo model"), [
		{ provider: "demo", wire: "responses", auth: "apiKey", baseUrl: "", id: "" },
	]);
	assert.deepEqual(await setUp(undefined), []);
});
