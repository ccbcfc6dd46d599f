import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type ListedServer, serverList, serverStart } from "../../agent-host/protocol/host/servers.ts";
import { ServersSettings } from "../../agent-host/protocol/settings/server-settings.ts";
import { policyShow } from "../../agent-host/protocol/thread/context.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { withHost } from "./rig/with-host.ts";

test("machine limits apply from the next turn on, are named, and override the user's choices", async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-limits-"));
	t.after(() => rmSync(folder, { recursive: true }));
	const file = join(folder, "limits.json");
	const write = (limits: unknown) => writeFileSync(file, JSON.stringify(limits));
	const script = [says("one"), calls("run_command", { command: "touch made" }), says("two"), says("three")];
	const servers = ServersSettings.parse({ fake: { command: "false" } });
	const settings = { permissions: { mode: "workspaceWrite", network: "on" }, servers } as const;
	await withHost(t, { script, settings, env: { VITRINE_LIMITS: file } }, async ({ host, model }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "Before there are limits.");

		write({ mode: "readOnly", network: "off", modelServers: [model.baseUrl] });
		const shown = await host.request(policyShow, { threadId, compiled: false });
		assert.deepEqual([shown.mode, shown.network], ["readOnly", "off"]);
		assert.ok(shown.words.at(-1)?.message.includes(file), JSON.stringify(shown.words));
		const full = { permissions: { mode: "full" } } as const;
		await assert.rejects(host.request(threadSettings, { threadId, settings: full }), /limits\.json allows Read Only/);
		await runTurn(host, threadId, "Make a file.");
		assert.match(model.requests[2]?.text ?? "", /Read-only file system|Permission denied/);
		assert.ok(model.requests[1]?.text.includes(file));

		write({ modelServers: ["https://models.example.org"] });
		await assert.rejects(runTurn(host, threadId, "Elsewhere."), /limits\.json doesn't allow prompts to go to http/);
		write({ servers: { deny: ["fake"] } });
		const [{ state, reason }] = (await host.request(serverList, {})).servers as [ListedServer];
		assert.deepEqual([state, reason], ["off", `${file} does not allow it.`]);
		await assert.rejects(host.request(serverStart, { name: "fake" }), /is not used here/);
		write({ mode: "nothing" });
		await assert.rejects(runTurn(host, threadId, "Misspelt."), /limits\.json can't be read, so no turn can start/);

		rmSync(file);
		await runTurn(host, threadId, "After.");
		assert.equal((await host.request(policyShow, { threadId, compiled: false })).mode, "workspaceWrite");
	});
});
