import assert from "node:assert/strict";
import { test } from "node:test";
import { HostError } from "../../../agent-host/protocol/errors.ts";
import { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { say } from "../../../agent-host/protocol/say.ts";
import type { PublishedEvent } from "../../../agent-host/protocol/thread/events.ts";
import { createFollower } from "../../../agent-host/session/thread/follow-threads.ts";
import type { LiveThread } from "../../../agent-host/session/thread/live-thread.ts";

const threadId = ThreadId.parse("theirs");

/** A thread of another process, whose looks go as told, and what is published of it. */
async function follow(looks: (() => "done" | "reopen" | HostError | Error)[]) {
	const events: PublishedEvent[] = [];
	const [published, logged]: [PublishedEvent[], string[]] = [[], []];
	let due: (() => void) | undefined;
	const thread = {
		refusal: new HostError("thread-busy", say("thread-open-elsewhere", { owner: "7" })),
		catchUp: async () => {
			const outcome = looks.shift()?.() ?? "done";
			if (outcome instanceof Error) throw outcome;
			return outcome;
		},
		events: { last: () => events.length, read: async ({ after }: { after: number }) => events.slice(after) },
		live: () => [],
	} as unknown as LiveThread;
	const follower = createFollower(
		{
			now: () => 0,
			log: (_, message) => void logged.push(message),
			publish: (_, event) => void published.push(event),
			setTimer: (_, work) => {
				due = work;
				return () => undefined;
			},
		},
		async () => thread,
	);
	await follower.open(threadId);
	/** Lets the time of the next look come; false if none is due. */
	const look = async (): Promise<boolean> => {
		const work = due;
		due = undefined;
		work?.();
		await new Promise(setImmediate);
		return work !== undefined;
	};
	const add = (): void => {
		const event = { type: "titleChanged", title: "Theirs" } as const;
		events.push({ seq: events.length + 1, at: 0, event });
	};
	return { look, add, published, logged };
}

test("a thread of another window is still followed after a failed look, and the failure is logged once", async () => {
	const fails = () => new Error("EIO");
	const { look, add, published, logged } = await follow([fails, fails]);
	add();
	assert.deepEqual([await look(), await look(), published.length], [true, true, 0]);
	assert.deepEqual([await look(), published.length, logged.length], [true, 1, 1]);
	add();
	assert.deepEqual([await look(), published.length], [true, 2]);
});

test("a thread that was deleted is no longer followed", async () => {
	const gone = () => new HostError("thread-not-found", say("thread-gone", { threadId }));
	const { look } = await follow([gone]);
	assert.deepEqual([await look(), await look()], [true, false]);
});
