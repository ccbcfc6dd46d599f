import assert from "node:assert/strict";
import { test } from "node:test";
import type { createStatus } from "../../../../extension/views/status-item.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

const ENDS = { completed: "$(check) Vitrine: Done", failed: "$(error) Vitrine: Failed", interrupted: undefined };

for (const [status, text] of Object.entries(ENDS)) {
	test(`while the chat is out of sight, a turn that ends as ${status} puts ${text ?? "nothing"} in the status bar`, async () => {
		const work = { text: "", isShown: false };
		const createStatusBarItem = (id: string) => {
			const item = id === "vitrine.work" ? work : { text: "", isShown: false };
			const [show, hide] = [true, false].map((isShown) => () => Object.assign(item, { isShown }));
			return Object.assign(item, { show, hide });
		};
		const onNothing = () => ({ dispose: () => undefined });
		const extension = await loadOverPaper<{ readonly createStatus: typeof createStatus }>(
			["extension/views/status-item.ts"],
			{ ...{ window: { createStatusBarItem }, Disposable: { from: onNothing }, StatusBarAlignment: {} } },
		);
		const events = new PaperEmitter();
		extension.createStatus(
			{ onDidChange: onNothing } as never,
			{ warnings: () => [], onDidChangeState: onNothing, onThreadEvent: events.event } as never,
			{ isVisible: () => false, onDidShow: onNothing },
		);
		events.fire({ threadId: "a", event: { type: "turnStarted", turnId: "t" } });
		assert.equal(work.isShown, true);
		events.fire({ threadId: "a", event: { type: "turnCompleted", turnId: "t", status } });
		assert.deepEqual([work.isShown, work.isShown ? work.text : undefined], [text !== undefined, text]);
	});
}
