import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import { threadList } from "../../agent-host/protocol/thread/thread.ts";
import { aThread, type RpcError } from "../support/host-process.ts";
import { withWorld } from "./rig/with-host.ts";

// Root may write everywhere, so a folder without permission would prove nothing; these fail for everyone.
const HOMES: readonly (readonly [what: string, home: (root: string) => string])[] = [
	["a file", (root) => touch(join(root, "a-file"))],
	["below a file", (root) => join(touch(join(root, "a-file")), "home")],
	["in /proc", () => "/proc/1/vitrine"],
];

for (const [what, homeIn] of HOMES) {
	test(`a home that is ${what}: the host stays up, says so, and refuses turns in one sentence`, (t) =>
		withWorld(t, {}, async ({ world, another }) => {
			const home = homeIn(world.root);
			const host = await another({ home });
			const { storageProblem } = await host.request(hostStatus, {});
			assert.ok(storageProblem?.includes(home), storageProblem);
			assert.deepEqual((await host.request(threadList, {})).threads, []);
			const threadId = await aThread(host);
			const turn = host.requestRaw("turn/start", { threadId, input: [{ kind: "text", text: "hello" }] });
			await assert.rejects(turn, (error: RpcError) => {
				const { values, ...named } = Object(error.data);
				assert.deepEqual([error.code, named], [1005, { kind: "storage-unavailable", sentence: "home-not-writable" }]);
				assert.deepEqual([values.folder, /^E[A-Z]+$/.test(values.code)], [home, true]);
				return error.message.length < 300 && !error.message.includes("\n");
			});
			assert.deepEqual(
				host.received.warnings.filter(({ code }) => code === "storage").map(({ message }) => message),
				[storageProblem],
			);
			assert.deepEqual(host.events(threadId), []);
		}));
}

function touch(path: string): string {
	writeFileSync(path, "not a folder");
	return path;
}
