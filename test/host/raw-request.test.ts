import assert from "node:assert/strict";
import { test } from "node:test";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { contextInspect, threadMute } from "../../agent-host/protocol/thread/context.ts";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { anImage } from "../support/an-image.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { compactNow, sumsUp } from "./rig/compaction.ts";
import { WIRES, withWire } from "./rig/wires.ts";
import { withHost } from "./rig/with-host.ts";

for (const wire of WIRES) {
	test(`over ${wire}, the raw form of a request is exactly what the provider got, also after later turns`, (t) =>
		withWire(t, wire, {}, async ({ host, turn }) => {
			const first = await turn([calls("read_file", { path: "README.md" }), says("Half: \ud83d")], {
				images: [anImage().data],
			});
			const { threadId } = first;
			const second = await turn([says("Done.")], { threadId });
			const sent = [...first.requests, ...second.requests].map((text) => asSent(wire, JSON.parse(text)));
			assert.equal(sent.length, 3);
			for (const [index, body] of sent.entries()) {
				const { raw, request } = await host.request(contextInspect, { threadId, request: index + 1, raw: true });
				assert.deepEqual([JSON.parse(raw ?? ""), request?.isExact], [body, true]);
			}
			const next = await host.request(contextInspect, { threadId, raw: true });
			const [last, coming] = [JSON.stringify(sent.at(-1)), next.raw ?? ""];
			assert.ok(coming.includes("Done.") && !last.includes("Done."), "the next one goes on from the last answer");
			assert.equal((await host.request(contextInspect, { threadId })).raw, undefined);
		}));
}

for (const wire of WIRES) {
	test(`over ${wire}, the raw form of the next request with what is typed is exactly what the provider then gets`, (t) =>
		withWire(t, wire, {}, async (rig) => {
			const { host, turn, always, requests } = rig;
			const threadId = await aThread(host);
			const images = [anImage().data];
			const attached = [{ kind: "editor" as const, activeFile: "README.md", openFiles: [], unsavedFiles: [] }];
			const input = [
				{ kind: "text" as const, text: "Go." },
				{ kind: "image" as const, data: anImage().data },
				...attached,
			];
			const preview = async () =>
				JSON.parse((await host.request(contextInspect, { threadId, input, raw: true })).raw ?? "");
			const moments: Readonly<Record<string, () => Promise<unknown>>> = {
				"in a fresh thread": async () => undefined,
				"in a later turn": async () => undefined,
				"after a change of settings": () =>
					host.request(threadSettings, { threadId, settings: { permissions: { mode: "readOnly" } } }),
				"after a compaction": () => {
					always(sumsUp("Go.", []));
					return compactNow({ host, threadId });
				},
			};
			for (const [moment, prepare] of Object.entries(moments)) {
				await prepare();
				const shown = await preview();
				const before = requests().length;
				await turn([says("Done.")], { threadId, images, attached });
				assert.deepEqual(shown, asSent(wire, JSON.parse(requests()[before] ?? "")), moment);
			}
		}));
}

test("no part of a request counts as cached from the first one on that a change takes out of the cache, before it is sent and after", (t) =>
	withHost(t, { script: () => says("Done.") }, async ({ host, model }) => {
		const threadId = await aThread(host);
		const baseUrl = model.baseUrl.replace("127.0.0.1", "localhost");
		const changes: Readonly<Record<string, PartialSettings>> = {
			"an answer": {},
			"the effort": { model: { reasoningEffort: "high" } },
			"the server": { model: { baseUrl } },
		};
		const cached = async (request?: number) => {
			const { items } = await host.request(contextInspect, { threadId, ...(request !== undefined && { request }) });
			const count = items.filter((item) => item.cached).length;
			assert.ok(items.slice(0, count).every((item) => item.cached));
			return items[count - 1]?.kind;
		};
		await runTurn(host, threadId, "one");
		await runTurn(host, threadId, "two");
		const found: unknown[] = [];
		for (const [what, settings] of Object.entries(changes)) {
			if (what === "an answer") {
				const { items } = await host.request(contextInspect, { threadId });
				const { at, chars } = items.find(({ mutable }) => mutable !== undefined)?.mutable ?? assert.fail();
				await host.request(threadMute, { threadId, at, chars });
			} else await host.request(threadSettings, { threadId, settings });
			const before = await cached();
			await runTurn(host, threadId, what);
			found.push([what, before, await cached(-1)]);
		}
		assert.deepEqual(found, [
			["an answer", "userMessage", "userMessage"],
			["the effort", undefined, undefined],
			["the server", undefined, undefined],
		]);
	}));

test("an unknown request or thread has no raw form", (t) =>
	withWire(t, "responses", {}, async ({ host, turn }) => {
		const { threadId } = await turn([says("ok")]);
		const none = ThreadId.parse("none");
		await assert.rejects(host.request(contextInspect, { threadId: none, raw: true }), { code: 1001 });
		await assert.rejects(host.request(contextInspect, { threadId, request: 9, raw: true }), {
			data: { kind: "input-refused", sentence: "no-such-request", values: { request: 9, of: 1 } },
		});
	}));

/** The editor's request, without the id under which its answer streams. */
function asSent(wire: string, body: Record<string, unknown>): Record<string, unknown> {
	if (wire !== "editor") return body;
	const { model, messages, tools } = body;
	return { model, messages, tools };
}
