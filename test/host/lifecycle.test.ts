import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { test } from "node:test";
import { holds } from "../support/fake-model-steps.ts";
import { HOST_BUNDLE, startHeldTurn } from "../support/host-process.ts";
import { eventually } from "./rig/files.ts";
import { isRunning, isStillRunning, nameOf } from "./rig/processes.ts";
import { withHost } from "./rig/with-host.ts";

const ONE_SECOND = 1_000;

for (const transport of ["stdio", "ipc"] as const) {
	test(`the host ends within a second when its parent's ${transport} channel closes, and leaves the model`, (t) => {
		const step = holds("working", "never sent");
		return withHost(t, { transport, script: [step] }, async ({ host, model }) => {
			await startHeldTurn(host, step);

			const start = performance.now();
			host.wire.hangUp();
			assert.equal((await host.exited).signal, null);
			assert.ok(performance.now() - start < ONE_SECOND);
			assert.equal((await model.requestNumber(1)).closedByClient, true);
		});
	});

	test(`the host ends within a second when its parent over ${transport} is killed`, (t) =>
		withHost(t, {}, async ({ world }) => {
			const script = join(import.meta.dirname, "rig/middle-man.ts");
			const parent = spawn(process.execPath, [script, transport, join(world.root, "other-home")], {
				env: { PATH: process.env.PATH, VITRINE_HOST_BUNDLE: HOST_BUNDLE, ...world.env },
				stdio: ["ignore", "pipe", "inherit"],
			});
			t.after(() => parent.kill("SIGKILL"));
			const [line] = (await once(parent.stdout.setEncoding("utf8"), "data")) as [string];
			const name = nameOf(Number(line));
			assert.ok(name && isRunning(Number(line)));

			parent.kill("SIGKILL");
			await eventually(() => !isStillRunning(name), ONE_SECOND, "the host outlives its parent");
		}));
}

test("SIGTERM ends the host at once and in order", (t) =>
	withHost(t, {}, async ({ host }) => {
		process.kill(host.pid, "SIGTERM");
		const start = performance.now();
		await host.exited;
		assert.ok(performance.now() - start < ONE_SECOND);
	}));
