import assert from "node:assert/strict";
import { test } from "node:test";
import { reviewList, reviewReject } from "../../agent-host/protocol/thread/review.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn } from "../support/host-process.ts";
import { assertPrefixes, matchesRequests } from "./rig/scenario.ts";
import { withHost } from "./rig/with-host.ts";

const PATCH = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** End Patch\n";

test("the user's rejections and commands, and the remaining budget, are told before the next message", (t) =>
	withHost(
		t,
		{ script: [calls("apply_patch", { patch: PATCH }), says("Done."), says("I see.")] },
		async ({ host, model, world }) => {
			const threadId = await aThread(host, { settings: { budgets: { thread: { requests: 10 } } } });
			await runTurn(host, threadId, "Write it.");
			const { files } = await host.request(reviewList, { threadId });
			const hunks = files.flatMap((file) => file.hunks.map(({ id }) => id));
			assert.deepEqual(await host.request(reviewReject, { threadId, hunks }), { done: 1, left: [] });
			const { turnId } = await host.request(turnStart, {
				threadId,
				input: [{ kind: "shell", command: "echo hello; exit 3" }],
			});
			await endOfTurn(host, threadId, turnId);
			await runTurn(host, threadId, "What now?");
			assertPrefixes(model);
			matchesRequests("what-the-user-did", model, world, ["the patch", "its result", "next turn"]);
		},
	));
