import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import { FRAGMENTS } from "../../agent-host/context/catalog.ts";
import { didChangeTrust } from "../../agent-host/protocol/host/host.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { threadFork, threadRollback, threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { turnStart } from "../../agent-host/protocol/thread/turn.ts";
import type { RecordedRequest } from "../support/fake-model-request.ts";
import { says } from "../support/fake-model-steps.ts";
import { aThread, endOfTurn, runTurn } from "../support/host-process.ts";
import { bodyOf } from "../support/request-page.ts";
import { inputBytes } from "./rig/scenario.ts";
import { type Believed, believedFrom } from "./rig/told-parser.ts";
import { type HostTest, withHost } from "./rig/with-host.ts";

const IS_FULL = process.env.VITRINE_FULL === "1";
const RUNS = IS_FULL ? 40 : 2;
const STEPS = IS_FULL ? 60 : 30;

const MODES = { readOnly: "Read Only.", ask: "Ask First.", workspaceWrite: "Workspace.", full: "Full Access." };

/** What is writable in each mode. */
const WRITABLE: Readonly<Record<keyof typeof MODES, (workspace: string) => readonly string[]>> = {
	readOnly: () => [],
	ask: (workspace) => [workspace],
	workspaceWrite: (workspace) => [workspace],
	full: (workspace) => ["/", workspace],
};

const anyChange: fc.Arbitrary<PartialSettings> = fc.oneof(
	fc.constantFrom(...(Object.keys(MODES) as (keyof typeof MODES)[])).map((mode) => ({ permissions: { mode } })),
	fc.constantFrom("off" as const, "on" as const).map((network) => ({ permissions: { network } })),
	fc.constantFrom("untrusted" as const, "onRequest" as const, "never" as const).map((approval) => ({ approval })),
	fc.constantFrom("default" as const, "plan" as const).map((collaboration) => ({ modes: { collaboration } })),
	fc.constantFrom("default" as const, "concise" as const, "friendly" as const).map((personality) => ({
		modes: { personality },
	})),
	fc.boolean().map((realtime) => ({ modes: { realtime } })),
	fc.constantFrom("fake-1", "fake-2", "fake-3").map((id) => ({ model: { id } })),
	fc.constantFrom("low" as const, "high" as const).map((reasoningEffort) => ({ model: { reasoningEffort } })),
);

type Move =
	| { readonly kind: "set"; readonly settings: PartialSettings }
	| { readonly kind: "turn"; readonly overrides: PartialSettings | undefined }
	| { readonly kind: "folder"; readonly folder: string }
	| { readonly kind: "instructions"; readonly text: string | undefined }
	| { readonly kind: "trust"; readonly trusted: boolean }
	| { readonly kind: "rollback" | "fork" | "resume" };

const turn = fc.option(anyChange, { nil: undefined, freq: 5 }).map((overrides): Move => ({ kind: "turn", overrides }));
const anyMove: fc.Arbitrary<Move> = fc.oneof(
	{ weight: 6, arbitrary: turn },
	{ weight: 5, arbitrary: anyChange.map((settings): Move => ({ kind: "set", settings })) },
	{ weight: 1, arbitrary: fc.constantFrom(".", "a", "b").map((folder): Move => ({ kind: "folder", folder })) },
	{
		weight: 1,
		arbitrary: fc
			.constantFrom(undefined, "Use tabs.", "Use <b>spaces</b>.")
			.map((text): Move => ({ kind: "instructions", text })),
	},
	{ weight: 1, arbitrary: fc.boolean().map((trusted): Move => ({ kind: "trust", trusted })) },
	{ weight: 1, arbitrary: fc.constantFrom<Move>({ kind: "rollback" }, { kind: "fork" }, { kind: "resume" }) },
);

test("after any changes, what the model was told equals what holds; nothing else is sent, and nothing sent changes", async (t) => {
	let requests = 0;
	await fc.assert(
		fc.asyncProperty(fc.array(anyMove, { minLength: STEPS, maxLength: STEPS }), (moves) =>
			withHost(t, { script: () => says("ok") }, async (context) => {
				requests += await play(context, moves);
			}),
		),
		{ numRuns: RUNS, endOnFailure: true },
	);
	t.diagnostic(`${requests} requests, each believed as it was sealed`);
	assert.ok(requests > RUNS * 5);
});

test("a model that takes over is told so again when the turn that told it is rolled back", (t) =>
	withHost(t, { script: () => says("ok") }, async ({ host, model }) => {
		const threadId = await aThread(host);
		await runTurn(host, threadId, "one");
		await host.request(threadSettings, { threadId, settings: { model: { id: "fake-2" } } });
		await runTurn(host, threadId, "two");
		await host.request(threadRollback, { threadId, turns: 1 });
		await runTurn(host, threadId, "two, again");
		assert.deepEqual(
			model.requests.map((request) => believedFrom(request).model),
			[undefined, "fake-2", "fake-2"],
		);
	}));

async function play({ host: first, another, model, world }: HostTest, moves: readonly Move[]): Promise<number> {
	for (const folder of ["a", "b"]) mkdirSync(join(world.workspace, folder), { recursive: true });
	let host = first;
	let threadId = await aThread(host);
	let turns = 0;
	let firstModel: string | undefined;
	/** The previous request's input, unless a turn was rolled back since. */
	let before = "[";
	let settings: PartialSettings = {};
	const facts = { trusted: true, folder: ".", text: undefined as string | undefined };
	for (const move of moves) {
		switch (move.kind) {
			case "set":
				settings = overlay(settings, move.settings);
				await host.request(threadSettings, { threadId, settings: move.settings });
				break;
			case "folder":
				facts.folder = move.folder;
				await host.request(threadSettings, { threadId, cwd: join(world.workspace, move.folder) });
				break;
			case "instructions":
				facts.text = move.text;
				if (move.text === undefined) rmSync(join(world.workspace, "AGENTS.md"), { force: true });
				else writeFileSync(join(world.workspace, "AGENTS.md"), move.text);
				break;
			case "trust":
				facts.trusted = move.trusted;
				host.notify(didChangeTrust, { trusted: move.trusted });
				break;
			case "rollback":
				if (turns < 2) break;
				await host.request(threadRollback, { threadId, turns: 1 });
				turns -= 1;
				before = "[";
				break;
			case "fork":
				if (turns === 0) break;
				threadId = (await host.request(threadFork, { threadId })).threadId;
				settings = withoutFullAccess(settings);
				break;
			case "resume":
				if (turns === 0) break;
				await host.close();
				host = await another({ trusted: facts.trusted });
				settings = withoutFullAccess(settings);
				break;
			case "turn": {
				const overrides = move.overrides === undefined ? {} : { overrides: { settings: move.overrides } };
				const input = [{ kind: "text" as const, text: "go on" }];
				const { turnId } = await host.request(turnStart, { threadId, input, ...overrides });
				await endOfTurn(host, threadId, turnId);
				turns += 1;
				const holding = expected(overlay(settings, move.overrides ?? {}), facts, world.workspace);
				firstModel ??= holding.model;
				// A model that was not told of a switch is the first one.
				const believed = { model: firstModel, ...believedFrom(model.requests.at(-1) ?? assert.fail()) };
				assert.deepEqual(believed, holding);
				const request = model.requests.at(-1) ?? assert.fail();
				assert.deepEqual(wordsOfNobody(request), []);
				const sent = inputBytes(request.text);
				assert.ok(sent.startsWith(before.replace(/\]$/, "")), "what was sent before is sent again");
				before = sent;
				break;
			}
		}
	}
	return model.requests.length;
}

/** The parts of a request that are neither conversation nor fragments. */
function wordsOfNobody(request: RecordedRequest): readonly unknown[] {
	const ours = new RegExp(`^<(${FRAGMENTS.map(({ tag }) => tag).join("|")})[ >][\\s\\S]*</\\1>$`);
	const texts = bodyOf(request).input.map(({ role, content }) => {
		const text = typeof content === "string" ? content : (content ?? []).map((part) => part.text).join("");
		return { role, text };
	});
	const said = { user: "go on", assistant: "ok" } as Readonly<Record<string, string>>;
	return texts.filter(({ role = "", text }) => text !== said[role] && (role === "assistant" || !ours.test(text)));
}

/** The expected facts under these settings, derived from the documentation. */
function expected(
	settings: PartialSettings,
	{ trusted, folder, text }: { readonly trusted: boolean; readonly folder: string; readonly text: string | undefined },
	workspace: string,
): Believed {
	const set = trusted ? (settings.permissions?.mode ?? "workspaceWrite") : "readOnly";
	const isPlan = settings.modes?.collaboration === "plan";
	const mode = isPlan ? "readOnly" : set;
	const isOn = trusted && !isPlan && (mode === "full" || settings.permissions?.network === "on");
	return {
		permissions: MODES[mode],
		writable: WRITABLE[mode](workspace).join(", ") || "nothing",
		private:
			trusted && mode !== "full" ? `/tmp${isPlan ? ", the only folder that commands can write to" : ""}` : "nothing",
		network: isOn ? "on, including servers on this machine and in its network." : "off.",
		mode: settings.modes?.collaboration ?? "default",
		voice: settings.modes?.realtime === true ? "yes" : "no",
		tone: settings.modes?.personality ?? "default",
		instructions: trusted ? (text ?? "none") : "none",
		cwd: join(workspace, folder),
		trusted: trusted ? "yes" : "no",
		approval: settings.approval ?? "onRequest",
		sandbox: MODES[mode].slice(0, -1),
		networkAccess: isOn ? "on" : "off",
		writableRoots: WRITABLE[mode](workspace).join(", ") || "nothing",
		model: settings.model?.id ?? "fake-1",
		effort: settings.model?.reasoningEffort ?? "default",
	};
}

/** Full Access holds for one thread in one window. */
function withoutFullAccess(settings: PartialSettings): PartialSettings {
	const { mode, ...permissions } = settings.permissions ?? {};
	return mode === "full" ? { ...settings, permissions } : settings;
}

function overlay(base: PartialSettings, change: PartialSettings): PartialSettings {
	return {
		...base,
		...change,
		...(base.permissions || change.permissions ? { permissions: { ...base.permissions, ...change.permissions } } : {}),
		...(base.model || change.model ? { model: { ...base.model, ...change.model } } : {}),
		...(base.modes || change.modes ? { modes: { ...base.modes, ...change.modes } } : {}),
	};
}
