import assert from "node:assert/strict";
import { test } from "node:test";
import { createMemoryDisk } from "../../support/memory-disk.ts";
import { aSession } from "../../support/memory-session.ts";

/** What a running turn may still look at: open documents are a port of its tools, and lost trust may only refuse. */
const LIVE = new Set(["documents", "trusted"]);

test("once a turn is sealed it reads no setting, folder, environment variable or clock but through its envelope", async (t) => {
	const { session, published } = await aSession(createMemoryDisk());
	const threadId = session.threads.start({ cwd: undefined, settings: {} });
	await session.startTurn({ threadId, input: [{ kind: "text", text: "What can you do?" }] });
	const thread = await session.threads.open(threadId);
	const found: string[] = [];
	for (const name of Object.keys(session.facts).filter((key) => !LIVE.has(key))) {
		Object.defineProperty(session.facts, name, { get: () => void found.push(name) });
	}
	const environment = process.env;
	process.env = new Proxy(environment, {
		get: (target, name) => {
			if (isOurs()) found.push(`process.env.${String(name)}`);
			return Reflect.get(target, name);
		},
	});
	t.after(() => {
		process.env = environment;
	});
	t.mock.method(Date, "now", () => {
		if (isOurs()) found.push("Date.now");
		return 0;
	});
	await thread.running?.ended;
	assert.deepEqual(found, []);
	const end = published.at(-1)?.event;
	assert.equal(end?.type === "turnCompleted" && end.status, "completed");
});

/** Whether the read comes from a room of the host, not from Node or the test runner. */
function isOurs(): boolean {
	return (new Error().stack ?? "").includes("/agent-host/");
}
