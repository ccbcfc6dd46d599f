import assert from "node:assert/strict";
import { test } from "node:test";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { says } from "../support/fake-model-steps.ts";
import { ABILITIES } from "./rig/abilities.ts";
import { FAILING } from "./rig/failing.ts";
import { WIRES, withWire } from "./rig/wires.ts";

// The tables are data: docs/models.md is written from them too.
for (const wire of WIRES) {
	test(`${wire}: every ability, or its substitute, and every failure ends in the same state`, (t) =>
		withWire(t, wire, {}, async (rig) => {
			for (const { ability, instead, prove } of ABILITIES) {
				const note = instead?.[wire] === undefined ? "" : ` (${instead[wire]})`;
				await t.test(`${wire}: ${ability}${note}`, () => prove(rig));
			}
			for (const { what, step, editor, code, requests } of FAILING) {
				const failing = wire === "editor" ? editor : step;
				if (failing === undefined) continue;
				await t.test(`${wire}: ${what} is “${code}” after ${requests} requests at most`, async () => {
					rig.always(failing);
					// Only servers known to stay silent get little time: a busy machine is slow to answer too.
					const retry = code === "network" ? { idleMs: 1_000, attempts: 2 } : { attempts: 3 };
					const failed = await rig.turn([], { settings: { retry } });
					assert.deepEqual([failed.end.status, failed.end.error?.code], ["failed", code]);
					assert.ok(failed.requests.length <= requests, `${failed.requests.length} requests`);
					rig.always(says("Back."));
					const { threadId } = failed;
					await rig.host.request(threadSettings, { threadId, settings: { retry: { idleMs: 90_000 } } });
					assert.equal((await rig.turn([], { threadId })).text, "Back.");
				});
			}
		}));
}
