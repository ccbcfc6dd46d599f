import assert from "node:assert/strict";
import { test } from "node:test";
import { findServers } from "../../../agent-host/capabilities/servers/find.ts";
import { createServers, NotGiven, type ServerEffects } from "../../../agent-host/capabilities/servers/load.ts";
import { ServersSettings } from "../../../agent-host/protocol/settings/server-settings.ts";

const [DOCS] = findServers(ServersSettings.parse({ docs: { command: "docs" } }));

function withEffects(open: ServerEffects["open"]) {
	const timers = new Set<() => void>();
	let now = 0;
	const servers = createServers({
		open,
		roots: () => [],
		version: "1",
		now: () => now,
		setTimer: (_, work) => {
			timers.add(work);
			return () => timers.delete(work);
		},
		asksUser: true,
		note: () => undefined,
		changed: () => undefined,
	});
	return {
		servers,
		passTime: (ms: number) => {
			now += ms;
		},
		/** Every timer that was set goes off. */
		fire: () => {
			for (const work of [...timers]) work();
		},
	};
}

test("a turn does not wait for a server that says nothing: it has no tools for now", async () => {
	assert.ok(DOCS);
	const { servers, fire } = withEffects(() => new Promise(() => undefined));
	const learned = servers.learn([DOCS]);
	fire();
	assert.deepEqual(await learned, [{ server: DOCS, state: { kind: "starting" }, catalogue: undefined }]);
});

for (const [what, error, starts] of [
	["fails", new Error("no such luck"), 2],
	["waits for its user", new NotGiven("not said"), 1],
] as const) {
	test(`a server that ${what} is tried by turns ${starts === 1 ? "once" : "again after a minute, not before"}, and whenever the user starts it`, async () => {
		assert.ok(DOCS);
		let opened = 0;
		const { servers, passTime } = withEffects(async () => {
			opened += 1;
			throw error;
		});
		const [first] = await servers.learn([DOCS]);
		assert.deepEqual(first?.state, { kind: "failed", reason: error.message });
		await servers.learn([DOCS]);
		assert.equal(opened, 1);
		passTime(60_001);
		await servers.learn([DOCS]);
		assert.equal(opened, starts);
		await servers.start(DOCS);
		assert.equal(opened, starts + 1);
	});
}
