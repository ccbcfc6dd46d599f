import assert from "node:assert/strict";
import { test } from "node:test";
import { threadSettings } from "../../agent-host/protocol/thread/thread.ts";
import { says } from "../support/fake-model-steps.ts";
import { ABILITIES } from "./rig/abilities.ts";
import { FAILING } from "./rig/failing.ts";
import { WIRES, withWire } from "./rig/wires.ts";

// The tables are data: docs/models.md is written from them too.
for (const wire of WIRES) {
	test(`${wire}: every ability, or what stands in its place`, (t) =>
		withWire(t, wire, {}, async (rig) => {
			for (const { ability, instead, prove } of ABILITIES) {
				const note = instead?.[wire] === undefined ? "" : ` (${instead[wire]})`;
				await t.test(`${wire}: ${ability}${note}`, () => prove(rig));
			}
		}));

	test(`${wire}: every failure ends in the same state`, (t) =>
		withWire(t, wire, { retry: { attempts: 3 } }, async (rig) => {
			for (const { what, step, editor, code, requests } of FAILING) {
				await t.test(`${wire}: ${what} is “${code}” after ${requests} requests at most`, async () => {
					rig.always(wire === "editor" ? editor : step);
					// Only who is known to be silent is given little time: a busy machine is slow to answer too.
					const impatient = code === "network" ? { retry: { idleMs: 1_000, attempts: 2 } } : {};
					const failed = await rig.turn([], { settings: impatient });
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
