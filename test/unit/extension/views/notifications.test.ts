import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../../../agent-host/protocol/ids.ts";
import type { createNotifications } from "../../../../extension/views/activity/notifications.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

const [ROOT, AGENT] = [ThreadId.parse("root"), ThreadId.parse("agent")];

test("the end of a turn is announced unless the user stopped it or only another agent waits for it", async () => {
	const told: string[] = [];
	const events = new PaperEmitter();
	const { createNotifications: create } = await loadOverPaper<{
		readonly createNotifications: typeof createNotifications;
	}>(["extension/views/activity/notifications.ts"], {
		l10n: {},
		window: {
			state: { focused: false },
			showInformationMessage: async (words: string) => void told.push(words),
		},
		workspace: { getConfiguration: () => ({ inspect: () => undefined }) },
	});
	const panel = { threadsInView: () => [ROOT], showThread: assert.fail, chime: assert.fail };
	const isAgent = (threadId: ThreadId) => threadId === AGENT;
	create({ onThreadEvent: events.event as never }, panel, { isAgent });
	const end = (threadId: ThreadId, begun: object, status = "completed") => {
		events.fire({ threadId, event: { type: "turnStarted", turnId: "turn-1", ...begun } });
		events.fire({ threadId, event: { type: "turnCompleted", turnId: "turn-1", status } });
		return told.splice(0);
	};
	assert.deepEqual(
		[
			end(ROOT, { clientId: "1" }),
			end(ROOT, { purpose: "compaction" }),
			end(ROOT, { clientId: "1" }, "failed"),
			end(ROOT, { clientId: "1" }, "interrupted"),
			end(AGENT, {}),
			end(AGENT, {}, "failed"),
			end(AGENT, { clientId: "1" }),
		],
		[
			["Vitrine has answered."],
			["The compaction has ended."],
			["A turn failed."],
			[],
			[],
			[],
			["Vitrine has answered."],
		],
	);
});
