import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { calls, holds, says, together } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn, startHeldTurn } from "../support/host-process.ts";
import { filesUnder } from "./rig/files.ts";
import { assertPrefixes, matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const ANSWERS = { script: () => says("ok") };
const withShared = shareHost({});

test("settings changed before the first turn leave no file, and the first turn states the result once (S02)", (t) =>
	withHost(t, ANSWERS, async ({ host, model, world }) => {
		mkdirSync(join(world.workspace, "sub"));
		const threadId = await aThread(host);
		await host.request(threadSettings, {
			threadId,
			cwd: join(world.workspace, "sub"),
			settings: { approval: "never" },
		});
		assert.deepEqual(
			filesUnder(join(world.home, "threads")).filter((path) => path.endsWith(".jsonl")),
			[],
		);
		await runTurn(host, threadId, "first question");
		matchesRequests("settings-before-first-turn", model, world, ["first turn"]);
	}));

test("folder, approval and tone changed at once are told in one order before the message (S03)", (t) =>
	withShared(t, ANSWERS.script, async ({ host, model, world }) => {
		mkdirSync(join(world.workspace, "sub"));
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		await host.request(threadSettings, {
			threadId,
			cwd: join(world.workspace, "sub"),
			settings: { approval: "never", modes: { personality: "concise" } },
		});
		await runTurn(host, threadId, "second question");
		assertPrefixes(model);
		matchesRequests("diff-on-second-turn", model, world, ["first turn", "second turn"]);
	}));

test("another model is told that it is another, with the tone, and the instructions stay (S04)", (t) =>
	withShared(t, ANSWERS.script, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		await host.request(threadSettings, {
			threadId,
			settings: { model: { id: "fake-2" }, modes: { personality: "friendly" } },
		});
		await runTurn(host, threadId, "second question");
		matchesRequests("model-switch", model, world, ["on fake-1", "on fake-2"]);
	}));

test("settings changed during a turn take effect in the next one, all of them (S05)", (t) => {
	const step = holds("Let me look.", "");
	const script = [together(step, calls("read_file", { path: "README.md" })), says("Done."), says("Again.")];
	return withShared(t, script, async ({ host, model, world }) => {
		const { threadId, turnId } = await startHeldTurn(host, step, { text: "first question" });
		await host.request(threadSettings, {
			threadId,
			settings: {
				model: { id: "fake-2", reasoningEffort: "low", serviceTier: "fast" },
				approval: "never",
				permissions: { mode: "readOnly" },
			},
		});
		step.release();
		await endOfTurn(host, threadId, turnId);
		await runTurn(host, threadId, "second question");
		matchesRequests("settings-during-turn", model, world, ["first step", "second step", "next turn"]);
	});
});

test("a thread that another host takes up goes on with what was told, and an unchanged turn adds its message (S32)", (t) =>
	withHost(t, ANSWERS, async ({ host, another, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		await host.request(threadSettings, { threadId, settings: { modes: { collaboration: "plan" } } });
		await runTurn(host, threadId, "second question");
		await host.close();
		const next = await another();
		await runTurn(next, threadId, "third question");
		assertPrefixes(model, { toolsChange: true });
		await next.close();
		const settings = { model: { provider: "compatible", baseUrl: model.baseUrl, id: "fake-2" } } as const;
		const last = await another({ settings });
		const { offered } = await last.request(threadSettings, { threadId });
		await last.request(threadSettings, { threadId, settings: offered });
		const { published } = await runTurn(last, threadId, "fourth question");
		const warned = published.flatMap(({ event }) => (event.type === "warning" ? [event.message] : []));
		assert.deepEqual(warned, ["Model changed from fake-1 to fake-2."]);
		matchesRequests("resume", model, world, ["first turn", "plan mode", "resumed", "resumed with another model"]);
	}));

test("instructions follow the folder: another file replaces, none is said to be gone (S45)", (t) =>
	withShared(t, ANSWERS.script, async ({ host, model, world }) => {
		const at = (folder: string) => join(world.workspace, folder);
		for (const folder of ["a", "b", "c"]) mkdirSync(at(folder));
		writeFileSync(join(at("a"), "AGENTS.md"), "In a use tabs.");
		writeFileSync(join(at("b"), "AGENTS.md"), "In b nothing counts but the other file.");
		writeFileSync(join(at("b"), "AGENTS.override.md"), "In b use spaces.");
		const threadId = await aThread(host, { cwd: at("a") });
		await runTurn(host, threadId, "first question");
		for (const folder of ["b", "c"]) {
			await host.request(threadSettings, { threadId, cwd: at(folder) });
			await runTurn(host, threadId, `question in ${folder}`);
		}
		assertPrefixes(model);
		matchesRequests("instructions-by-folder", model, world, ["in a", "in b", "in c"]);
	}));

test("every mode that can be switched is told on the way there and on the way back", (t) =>
	withShared(t, ANSWERS.script, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		const on = { collaboration: "plan", realtime: true, personality: "friendly" } as const;
		const off = { collaboration: "default", realtime: false, personality: "default" } as const;
		for (const modes of [on, off]) {
			await host.request(threadSettings, { threadId, settings: { modes } });
			await runTurn(host, threadId, "another question");
		}
		assertPrefixes(model, { toolsChange: true });
		matchesRequests("modes-there-and-back", model, world, ["default", "all on", "all off"]);
	}));

test("network, hosts and rules that are granted are told, and so is their withdrawal", (t) =>
	withShared(t, ANSWERS.script, async ({ host, model, world }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		const granted = {
			network: "allowList",
			allowedDomains: ["example.org:443"],
			rules: [{ prefix: ["npm", "test"] }],
		} as const;
		const withdrawn = { network: "off", allowedDomains: [], rules: [] } as const;
		for (const permissions of [granted, withdrawn]) {
			await host.request(threadSettings, {
				threadId,
				settings: { permissions: JSON.parse(JSON.stringify(permissions)) },
			});
			await runTurn(host, threadId, "another question");
		}
		assertPrefixes(model);
		matchesRequests("network-and-rules", model, world, ["none", "granted", "withdrawn"]);
	}));

/** A day apart, whatever the time: the east is always at least a day ahead of the west. */
const [WEST, EAST] = ["Etc/GMT+12", "Pacific/Kiritimati"];

test("a new day and a changed AGENTS.md are told with the next prompt, each once, and so is another effort", (t) =>
	withHost(t, { ...ANSWERS, env: { TZ: WEST } }, async ({ host, another, model, world }) => {
		const file = join(world.workspace, "AGENTS.md");
		writeFileSync(file, "Use tabs.");
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		writeFileSync(file, "Use spaces.");
		await runTurn(host, threadId, "second question");
		await host.request(threadSettings, { threadId, settings: { model: { reasoningEffort: "low" } } });
		await runTurn(host, threadId, "third question");
		await host.close();
		await runTurn(await another({ env: { ...world.env, TZ: EAST } }), threadId, "fourth question");
		const efforts = model.requests.map(({ body }) => (body as { reasoning?: { effort?: string } }).reasoning?.effort);
		assert.deepEqual(efforts, [undefined, undefined, "low", "low"]);
		matchesRequests("day-effort-and-instructions", model, world, [
			"first turn",
			"other words",
			"low effort",
			"next day",
		]);
	}));
