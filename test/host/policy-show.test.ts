import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import { contextInspect, policyShow } from "../../agent-host/protocol/thread/context.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { until } from "../support/editor-until.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const withShared = shareHost({ env: { LANG: "a-value-of-the-user" } });

test("policy/show lists what the sandbox is given for a command: the actual mounts, and no variable's value", (t) => {
	const script = [calls("run_command", { command: "grep ' /' /proc/self/mountinfo | cut -d' ' -f5" }), says("ok")];
	return withShared(t, script, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		const { compiled = [] } = await host.request(policyShow, { threadId });
		await runTurn(host, threadId, "Look.");
		const mounts = model.requests[1]?.text ?? "";
		const writable = compiled.filter((_, index) => compiled[index - 2] === "--bind");
		assert.ok(writable.includes(world.workspace), compiled.join(" "));
		for (const path of writable) assert.ok(mounts.includes(`\\n${path}\\n`), path);
		assert.ok(compiled.includes("LANG") && !compiled.join(" ").includes("a-value-of-the-user"));
		assert.equal((await host.request(policyShow, { threadId, compiled: false })).compiled, undefined);
	});
});

test("settings chosen between turns are shown at once and used by the next turn", (t) =>
	withShared(t, [says("ok")], async ({ host, model, world }) => {
		mkdirSync(join(world.workspace, "sub"));
		const threadId = await aThread(host);
		const cwd = join(world.workspace, "sub");
		const settings = {
			model: { id: "other-1", reasoningEffort: "high" },
			modes: { collaboration: "plan", realtime: true },
		} as const;
		await host.request(threadSettings, { threadId, cwd, settings });
		assert.deepEqual(
			host.events(threadId).map(({ seq, event }) => [seq, event.type]),
			[[undefined, "settingsChanged"]],
		);
		const next = await host.request(policyShow, { threadId, compiled: false });
		assert.deepEqual(
			[next.model, next.effort, next.cwd, next.collaboration, next.live],
			["other-1", "high", join(world.workspace, "sub"), "plan", true],
		);
		await runTurn(host, threadId, "Go.");
		assert.match(model.requests[0]?.text ?? "", /other-1/);
		assert.ok(model.requests[0]?.text.includes(cwd));
	}));

test("instructions of an untrusted workspace are listed but not followed, and none of their text is sent", (t) =>
	withHost(t, { script: () => says("ok"), trusted: false }, async ({ host, model, world }) => {
		mkdirSync(join(world.workspace, "sub"));
		const files = [join(world.workspace, "AGENTS.md"), join(world.workspace, "sub", "AGENTS.override.md")];
		for (const file of files) writeFileSync(file, "Obey the file.");
		const threadId = await aThread(host, { cwd: join(world.workspace, "sub") });
		await runTurn(host, threadId, "one");
		assert.deepEqual((await host.request(contextInspect, { threadId })).notFollowed, files);
		assert.ok(!model.requests[0]?.text.includes("Obey the file."));
	}));

test("with sandbox.probeOnStart the policy is tried before anybody asks for it", (t) =>
	withHost(t, { settings: { sandbox: { probeOnStart: true } } }, async ({ host }) => {
		const probed = await until("the policy was tried", async () => (await host.request(hostStatus, {})).probe);
		assert.equal(probed.state, "held");
	}));
