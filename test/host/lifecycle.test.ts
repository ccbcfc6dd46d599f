import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { inFairTime, settlesInFairTime } from "../support/fair-time.ts";
import { holds } from "../support/fake-model-steps.ts";
import { CODE_CACHE, HOST_BUNDLE, startHeldTurn } from "../support/host-process.ts";
import { isRunning, isStillRunning, nameOf } from "./rig/processes.ts";
import { withHost, withWorld } from "./rig/with-host.ts";

/** On a quiet machine; `npm run bench` measures the real time. */
const ONE_SECOND = 1_000;
const outlives = () => "the host outlives its parent";

for (const transport of ["stdio", "ipc"] as const) {
	test(`the host exits soon after its parent's ${transport} channel closes, and ends its request to the model`, (t) => {
		const step = holds("working", "never sent");
		return withHost(t, { transport, script: [step] }, async ({ host, model }) => {
			await startHeldTurn(host, step);

			host.wire.hangUp();
			assert.equal((await settlesInFairTime(host.exited, ONE_SECOND, outlives)).signal, null);
			const request = await model.requestNumber(1);
			await request.closed;
			assert.equal(request.closedByClient, true);
		});
	});

	test(`the host exits soon after its parent over ${transport} was killed`, (t) =>
		withWorld(t, {}, async ({ world }) => {
			const script = join(import.meta.dirname, "rig/middle-man.ts");
			const parent = spawn(process.execPath, [script, transport, join(world.root, "other-home")], {
				env: {
					PATH: process.env.PATH,
					VITRINE_HOST_BUNDLE: HOST_BUNDLE,
					VITRINE_HOST_CACHE: CODE_CACHE,
					...world.env,
				},
				stdio: ["ignore", "pipe", "inherit"],
			});
			t.after(() => parent.kill("SIGKILL"));
			const [line] = (await once(parent.stdout.setEncoding("utf8"), "data")) as [string];
			const name = nameOf(Number(line));
			assert.ok(name && isRunning(Number(line)));

			parent.kill("SIGKILL");
			await inFairTime(() => !isStillRunning(name), ONE_SECOND, outlives);
		}));
}

test("SIGTERM ends the host soon and cleanly", (t) =>
	withHost(t, {}, async ({ host }) => {
		process.kill(host.pid, "SIGTERM");
		await settlesInFairTime(host.exited, ONE_SECOND, () => "the host does not end");
	}));
