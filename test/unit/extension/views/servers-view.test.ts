import assert from "node:assert/strict";
import { test } from "node:test";
import type { ListedServer } from "../../../../agent-host/protocol/host/servers.ts";
import type { createServersView } from "../../../../extension/views/servers/servers-view.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

const A_SERVER: ListedServer = { name: "docs", where: "docs", kind: "program", state: "running", notes: [] };

async function openView(configured: object, list: () => Promise<readonly ListedServer[]>) {
	let isThere: unknown;
	const loaded = await loadOverPaper<{ readonly createServersView: typeof createServersView }>(
		["extension/views/servers/servers-view.ts"],
		{
			l10n: {},
			EventEmitter: PaperEmitter,
			Disposable: { from: () => ({ dispose: () => undefined }) },
			window: { createTreeView: () => ({ dispose: () => undefined }) },
			workspace: { getConfiguration: () => ({ inspect: () => ({ globalValue: configured }) }) },
			commands: {
				executeCommand: async (_: string, __: string, value: unknown) => {
					isThere = value;
				},
			},
		},
	);
	const changed = new PaperEmitter();
	const asked: Promise<unknown>[] = [];
	const host = {
		state: () => ({ state: "ready" }),
		onServersChanged: changed.event,
		onDidChangeState: new PaperEmitter().event,
		request: () => {
			const answer = list().then((servers) => ({ servers }));
			asked.push(answer.catch(() => undefined));
			return answer;
		},
	};
	const { refresh } = loaded.createServersView(host as never);
	return {
		refresh,
		isThere: () => isThere,
		change: async () => {
			changed.fire(undefined);
			await Promise.all(asked);
		},
	};
}

test("the servers view is shown even if only a plugin brings a server", async () => {
	const view = await openView({}, async () => [A_SERVER]);
	assert.equal(view.isThere(), false);
	await view.change();
	assert.equal(view.isThere(), true);
});

test("a list that cannot be read leaves the view as it was", async () => {
	const lists = [[A_SERVER], undefined, []];
	const view = await openView({}, async () => lists.shift() ?? assert.fail("The host is gone."));
	await view.change();
	await view.change();
	assert.equal(view.isThere(), true);
	await view.change();
	assert.equal(view.isThere(), false);
});

test("the view disappears with the last server in the settings, even if the host listed it before", async () => {
	const configured: { docs?: object } = { docs: {} };
	const view = await openView(configured, async () => [A_SERVER]);
	await view.change();
	delete configured.docs;
	view.refresh();
	assert.equal(view.isThere(), false);
});
