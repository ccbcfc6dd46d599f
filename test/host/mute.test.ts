import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { threadCompactUndo } from "../../agent-host/protocol/thread/compaction.ts";
import { contextInspect, threadMute } from "../../agent-host/protocol/thread/context.ts";
import {
	threadExport,
	threadFork,
	threadImport,
	threadReplay,
	threadRollback,
} from "../../agent-host/protocol/thread/thread.ts";
import { calls, holds, type Reply, says } from "../support/fake-model-steps.ts";
import { endOfTurn, type HostProcess, startHeldTurn } from "../support/host-process.ts";
import { inputLines } from "../support/request-page.ts";
import { aTalk, compactNow, inTurns, sumsUp, type Talk } from "./rig/compaction.ts";
import { withHost } from "./rig/with-host.ts";

/** Long enough that its text is kept in a file of its own. */
const PAGE = "marzipan and rose water\n".repeat(4_000);
const LINE = /\[The user muted this output of \d+ characters\. Call the tool again if you need it\.\]/;

test("muting", (t) =>
	withHost(t, { script: [] }, async (rig) => {
		writeFileSync(join(rig.world.workspace, "recipe.txt"), PAGE);
		const reads = calls("read_file", { path: "recipe.txt" });
		const talked = async (t: Parameters<typeof aTalk>[0], ...answers: readonly Reply[]): Promise<Talk> => {
			const script = inTurns([reads, says("Read."), ...answers], [sumsUp("Read the recipe.", [])]);
			const talk = await aTalk(t, rig, script, { model: { contextWindow: 1_000_000 } });
			await talk.say("Read the recipe.");
			return talk;
		};
		const lastSent = ({ model }: Talk): string => model.requests.at(-1)?.text ?? "";

		await t.test(
			"a muted output is one line from the next request on; unmuted, it is back word for word",
			async (t) => {
				const talk = await talked(t, says("Two."), says("Three."));
				const { host, threadId } = talk;
				assert.match(lastSent(talk), /marzipan/);
				const output = await findMutable(host, threadId);
				const { tokens: before } = await host.request(contextInspect, { threadId });
				await host.request(threadMute, { threadId, ...output, muted: true });
				const { tokens: after, items } = await host.request(contextInspect, { threadId });
				assert.ok(after < before / 4, `${before} became ${after} tokens`);
				assert.match(items.find(({ kind }) => kind === "toolOutput")?.text ?? "", LINE);
				await talk.say("Go on.");
				assert.doesNotMatch(lastSent(talk), /marzipan/);
				assert.match(lastSent(talk), LINE);
				assert.match(lastSent(talk), /Read\./);
				await host.request(threadMute, { threadId, ...output, muted: false });
				await talk.say("And on.");
				const [first, third] = [talk.model.requests[1], talk.model.requests.at(-1)].map((request) =>
					outputIn(request?.body),
				);
				assert.equal(third, first);
			},
		);

		await t.test(
			"muting is a recorded rewrite: the context is stated again, once, and the meter shows the new size",
			async (t) => {
				const talk = await talked(t, says("Two."), says("Three."));
				const { host, threadId } = talk;
				const stated = () => {
					const request = talk.model.requests.at(-1);
					return inputLines({ body: request?.body }).filter((line) => line.startsWith("user/environment")).length;
				};
				assert.equal(stated(), 1);
				const { tokens } = await host.request(contextInspect, { threadId });
				await host.request(threadMute, { threadId, ...(await findMutable(host, threadId)) });
				const { last, estimated } = talk.events("usage").at(-1) ?? {};
				assert.ok(estimated && (last?.total ?? tokens) < tokens / 4, `${last?.total} of ${tokens}`);
				assert.deepEqual(
					talk.events("muteChanged").map(({ itemKind, muted }) => [itemKind, muted]),
					[["toolOutput", true]],
				);
				await talk.say("Go on.");
				assert.equal(stated(), 2);
				await talk.say("And on.");
				assert.equal(stated(), 2);
			},
		);

		await t.test(
			"a muted output stays muted in a fork, an export and after a restart, and can be unmuted there",
			async (t) => {
				const talk = await talked(t, ...Array.from({ length: 8 }, () => says("Ok.")));
				const { host, threadId } = talk;
				await host.request(threadMute, { threadId, ...(await findMutable(host, threadId)) });
				await talk.say("Go on.");
				const fork = await host.request(threadFork, { threadId });
				const { text } = await host.request(threadExport, { threadId, format: "records" });
				assert.deepEqual(await host.request(threadReplay, { text }), { same: 3, unreadable: 0 });
				const imported = await host.request(threadImport, { text });
				await host.close();
				const restarted = await rig.another();
				for (const one of [threadId, fork.threadId, imported.threadId]) {
					const { items } = await restarted.request(contextInspect, { threadId: one });
					const output = items.find(({ kind }) => kind === "toolOutput");
					assert.match(output?.text ?? "", LINE);
					assert.equal(output?.mutable?.muted, true);
					await restarted.request(threadMute, { threadId: one, ...(await findMutable(restarted, one)), muted: false });
					const { items: unmuted } = await restarted.request(contextInspect, { threadId: one });
					assert.match(unmuted.find(({ kind }) => kind === "toolOutput")?.text ?? "", /marzipan and rose water/);
				}
				rig = { ...rig, host: restarted };
			},
		);

		await t.test(
			"an output stays muted when later turns are rolled back and when a compaction is undone",
			async (t) => {
				const talk = await talked(t, ...Array.from({ length: 4 }, () => says("Ok.")));
				const { host, threadId } = talk;
				await host.request(threadMute, { threadId, ...(await findMutable(host, threadId)) });
				await talk.say("Go on.");
				await host.request(threadRollback, { threadId, turns: 1 });
				assert.equal(await isMuted(host, threadId), true);
				await compactNow(talk);
				await host.request(threadCompactUndo, { threadId });
				assert.equal(await isMuted(host, threadId), true);
				await talk.say("And on.");
				assert.doesNotMatch(lastSent(talk), /marzipan/);
			},
		);

		await t.test("an answer can be muted; a user's message cannot, and nothing can while a turn runs", async (t) => {
			const held = holds("Wai", "ted.");
			const talk = await talked(t, held);
			const { host, threadId } = talk;
			const { items } = await host.request(contextInspect, { threadId });
			const offered = items.flatMap(({ kind, mutable }) => (mutable === undefined ? [] : [kind]));
			assert.deepEqual(offered, ["toolOutput", "agentMessage"]);
			const answer = items.find(({ kind }) => kind === "agentMessage")?.mutable;
			assert.ok(answer);
			await host.request(threadMute, { threadId, at: answer.at, chars: answer.chars });
			await assert.rejects(
				host.request(threadMute, { threadId, at: answer.at, chars: answer.chars + 1, muted: false }),
				/history has changed since then/,
			);
			for (let at = 0; at < answer.at; at += 1) {
				if (at === (await findMutable(host, threadId)).at) continue;
				await assert.rejects(
					host.request(threadMute, { threadId, at, chars: 16 }),
					/Only tool outputs and the agent's answers/,
				);
			}
			await assert.rejects(
				host.request(threadMute, { threadId, at: 1_000, chars: 1 }),
				/history has changed since then/,
			);
			const { turnId } = await startHeldTurn(host, held, { threadId });
			await assert.rejects(
				host.request(threadMute, { threadId, ...(await findMutable(host, threadId)) }),
				/A turn is running/,
			);
			assert.match(lastSent(talk), /The user muted this answer of 5 characters/);
			held.release();
			await endOfTurn(host, threadId, turnId);
		});
	}));

/** How the only output in a thread is named to mute it. */
async function findMutable(host: HostProcess, threadId: ThreadId) {
	const { items } = await host.request(contextInspect, { threadId });
	const mutable = items.find(({ kind }) => kind === "toolOutput")?.mutable;
	assert.ok(mutable);
	return { at: mutable.at, chars: mutable.chars };
}

async function isMuted(host: HostProcess, threadId: ThreadId): Promise<boolean | undefined> {
	const { items } = await host.request(contextInspect, { threadId });
	return items.find(({ kind }) => kind === "toolOutput")?.mutable?.muted;
}

function outputIn(body: unknown): unknown {
	const { input } = body as { readonly input: readonly { readonly type?: string; readonly output?: unknown }[] };
	return input.find(({ type }) => type === "function_call_output")?.output;
}
