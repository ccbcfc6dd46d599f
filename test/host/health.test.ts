import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { hostDoctor, policyProbe } from "../../agent-host/protocol/host/health.ts";
import { didChangeConfiguration, hostStatus } from "../../agent-host/protocol/host/host.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, HOST_BUNDLE, runTurn } from "../support/host-process.ts";
import { fileHolding, filesUnder } from "./rig/files.ts";
import { withHost } from "./rig/with-host.ts";

test("a thread's policy is tried in its sandbox, the status says when, and the doctor names what is wrong", (t) => {
	const script = [calls("run_command", { command: "true" }), says("ok")];
	return withHost(t, { script, models: [{ id: "fake-1" }] }, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Run it.");
		const before = readdirSync(world.workspace);
		const usual = await host.request(policyProbe, { threadId });
		assert.deepEqual([usual.state, usual.attempts.filter(({ ok }) => !ok)], ["held", []]);
		await host.request(threadSettings, { threadId, settings: { permissions: { mode: "readOnly" } } });
		const readOnly = await host.request(policyProbe, { threadId });
		const create = `create a file in ${world.workspace}`;
		const said = ({ attempts }: typeof usual) => attempts.find(({ what }) => what === create)?.happened;
		assert.deepEqual([said(usual), said(readOnly), readOnly.state], ["allowed", "refused", "held"]);
		assert.notEqual(usual.digest, readOnly.digest);
		const { at, digest, state } = readOnly;
		assert.deepEqual((await host.request(hostStatus, {})).probe, { at, digest, state });
		assert.deepEqual(host.received.statuses.at(-1)?.probe, { at, digest, state });
		assert.deepEqual(readdirSync(world.workspace), before);
		const asked = host.received.secretRequests.length;
		const report = await host.request(hostDoctor, {});
		assert.deepEqual([report.healthy, report.checks.filter((check) => check.state === "problem")], [true, []]);
		assert.match(report.text, /## Threads: ok\n\n- 1 of 1 verified/);
		assert.ok(!report.text.includes(String(world.env.HOME)), report.text);
		assert.deepEqual([host.received.secretRequests.length, model.others.length], [asked, 0], "no server is asked");
		assert.match((await host.request(hostDoctor, { server: "ask" })).text, /models on the server: 1/);
		const settings = { model: { provider: "compatible", baseUrl: "http://127.0.0.1:9/v1", id: "x" } } as const;
		host.notify(didChangeConfiguration, { settings });
		const unreachable = await host.request(hostDoctor, { server: "ask" });
		const found = unreachable.checks.find(({ name }) => name === "Model");
		assert.deepEqual([unreachable.healthy, found?.state, found?.fix !== undefined], [false, "problem", true]);
	});
});

test("the command line's doctor ends with 0 when all is well, and with 1 and a name for each problem", (t) =>
	withHost(t, { script: () => says("ok") }, async ({ host, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "one");
		await host.close();
		const doctor = (...args: readonly string[]) => {
			const words = [HOST_BUNDLE, "doctor", "--home", world.home, "--cwd", world.workspace, ...args];
			return spawnSync(process.execPath, words, { env: world.env, encoding: "utf8" });
		};
		const healthy = doctor();
		assert.deepEqual([healthy.status, healthy.stderr], [0, ""]);
		assert.match(healthy.stdout, /^# Vitrine Doctor\n\nHealthy\.\n/);
		const stored = filesUnder(world.home).filter((path) => statSync(path).size > 0);
		assert.match(healthy.stdout, new RegExp(`MB, files: ${stored.length}\n`), "waiting pipes are not counted");
		const file = fileHolding(world.home, '"thread"');
		writeFileSync(file, "damaged\n", { flag: "a" });
		const { status, stdout } = doctor("--json");
		const { healthy: isHealthy, checks } = JSON.parse(stdout);
		const threads = checks.find(({ name }: { name: string }) => name === "Threads");
		assert.deepEqual([status, isHealthy, threads.state, threads.lines[0]], [1, false, "problem", "0 of 1 verified"]);
		assert.equal(doctor("--unknown").status, 2);
	}));
