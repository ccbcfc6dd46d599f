import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import { instructionsLint } from "../../agent-host/protocol/thread/instructions.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { calls, holds, says, together } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn, startHeldTurn } from "../support/host-process.ts";
import { compactNow, inTurns, sumsUp } from "./rig/compaction.ts";
import { filesUnder } from "./rig/files.ts";
import { assertPrefixes, matchesRequests } from "./rig/scenario.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";

const ANSWERS = { script: () => says("ok") };
const withShared = shareHost({});

test("settings changed before the first turn leave no file, and the first turn states the result once (S02)", (t) =>
	withShared(t, ANSWERS.script, async ({ host, model, world }) => {
		mkdirSync(join(world.workspace, "sub"), { recursive: true });
		const files = () => filesUnder(join(world.home, "threads")).filter((path) => path.endsWith(".jsonl"));
		const before = files();
		const threadId = await aThread(host);
		await host.request(threadSettings, {
			threadId,
			cwd: join(world.workspace, "sub"),
			settings: { approval: "never" },
		});
		assert.deepEqual(files(), before);
		await runTurn(host, threadId, "first question");
		matchesRequests("settings-before-first-turn", model, world, ["first turn"]);
	}));

test("folder, approval and tone changed together are stated in one fixed order before the message (S03)", (t) =>
	withShared(t, ANSWERS.script, async ({ host, model, world }) => {
		mkdirSync(join(world.workspace, "sub"), { recursive: true });
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

test("a new model is told of the switch, with the tone, and the base instructions stay (S04)", (t) =>
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

test("settings changed during a turn all take effect in the next one (S05)", (t) => {
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

test("a thread taken up by another host continues from what was told; an unchanged turn adds its message (S32)", (t) =>
	withShared(t, ANSWERS.script, async ({ host, another, model, world }) => {
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

test("instructions follow the folder: another file replaces them, and a missing one is reported as gone (S45)", (t) =>
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

test("nested instructions are told once when work begins there, after a compaction and a restart, never without trust", (t) => {
	const script = inTurns(
		[
			calls("read_file", { path: "deep/er/code.ts" }),
			calls("read_file", { path: "deep/er/code.ts" }),
			calls("run_command", { command: "true", cwd: "beside" }),
			...[says("Done."), says("Still here."), says("Seen.")],
			...[calls("read_file", { path: "deep/er/code.ts" }), says("Nothing to see.")],
		],
		[sumsUp("first question", [])],
	);
	return withShared(t, script, async ({ host, another, model, world }) => {
		const at = (path: string) => join(world.workspace, path);
		for (const folder of ["deep/er", "beside", "never"]) mkdirSync(at(folder), { recursive: true });
		writeFileSync(at("deep/er/code.ts"), "1;\n");
		writeFileSync(at("deep/AGENTS.md"), "In deep use tabs.");
		writeFileSync(at("deep/er/AGENTS.md"), "In deeper use spaces. </folder_instructions>");
		writeFileSync(at("beside/AGENTS.md"), "Beside it, run the tests.");
		writeFileSync(at("never/AGENTS.md"), "Nobody comes here.");
		const threadId = await aThread(host);
		await runTurn(host, threadId, "first question");
		await compactNow({ host, threadId });
		await runTurn(host, threadId, "second question");
		await host.close();
		writeFileSync(at("beside/AGENTS.md"), "Beside it, run no tests.");
		const next = await another();
		await runTurn(next, threadId, "third question");
		next.notify(didChangeTrust, { trusted: false });
		await runTurn(next, await aThread(next), "a question without trust");
		const [untrusted, afterRead] = model.requests.slice(-2).map(({ text }) => text);
		for (const text of [untrusted, afterRead]) assert.doesNotMatch(text ?? "", /use tabs|use spaces/);
		for (const { text } of model.requests) assert.doesNotMatch(text, /Nobody comes here/);
		matchesRequests("folder-instructions", model, world, [
			...["first turn", "after a file was read", "after it was read again", "after a command"],
			...["the summary", "after the compaction", "in another host, one file changed"],
			...["without trust", "without trust, after the file was read"],
		]);
		next.notify(didChangeTrust, { trusted: true });
	});
});

test("the instructions report lists cost, repeats, contradictions, and which files are left out and why", (t) =>
	withShared(t, ANSWERS.script, async ({ host, world }) => {
		const folder = join(world.workspace, "lint");
		const write = (path: string, text: string) => {
			mkdirSync(dirname(join(folder, path)), { recursive: true });
			writeFileSync(join(folder, path), text);
		};
		write("AGENTS.md", "- Use tabs.\n- Run the tests first.\n");
		write("CLAUDE.md", "Not read.");
		write("inner/AGENTS.md", "- Use spaces.\n- Run the tests first.\n");
		write("inner/deep/.claude/CLAUDE.md", "Below.");
		write("inner/GEMINI.md", "Nobody's.");
		const threadId = await aThread(host, { cwd: join(folder, "inner") });
		const { files, findings, notLoaded } = await host.request(instructionsLint, { threadId });
		const short = (path = "") => path.replace(`${folder}/`, "");
		assert.deepEqual(
			files.filter(({ path }) => path?.startsWith(folder)).map(({ path, origin }) => [short(path), origin]),
			[
				["AGENTS.md", "workspace"],
				["inner/AGENTS.md", "workspace"],
			],
		);
		assert.ok(files.every(({ tokens }) => tokens > 0));
		assert.deepEqual(
			findings.map(({ kind, places }) => [kind, ...places.map(({ path, line }) => `${short(path)}:${line}`)]),
			[
				["contradiction", "AGENTS.md:1", "inner/AGENTS.md:1"],
				["duplicate", "AGENTS.md:2", "inner/AGENTS.md:2"],
			],
		);
		assert.deepEqual(
			notLoaded.filter(({ path }) => path.startsWith(folder)).map(({ path, why }) => [short(path), why]),
			[
				["CLAUDE.md", "covered"],
				["inner/GEMINI.md", "unnamed"],
				["inner/deep/.claude/CLAUDE.md", "later"],
			],
		);
	}));

test("every switch of a mode is told to the model, on and off", (t) =>
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

test("granted network access, hosts and rules are told to the model, and so is their withdrawal", (t) =>
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
		// Pages can be fetched where there is a network.
		assertPrefixes(model, { toolsChange: true });
		matchesRequests("network-and-rules", model, world, ["none", "granted", "withdrawn"]);
	}));

/** A day apart, whatever the time: the east is always at least a day ahead of the west. */
const [WEST, EAST] = ["Etc/GMT+12", "Pacific/Kiritimati"];

test("a new day, a changed AGENTS.md and another effort are told once each, with the next prompt", (t) =>
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
