import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { TurnEnvelope } from "../../../agent-host/envelope/envelope.ts";
import { envelopeRecords } from "../../../agent-host/session/start/record-envelope.ts";
import type { LiveThread } from "../../../agent-host/session/thread/live-thread.ts";
import { applyMergePatch, type Json } from "../../../agent-host/store/records/merge-patch.ts";
import { anEnvelope } from "../../support/an-envelope.ts";

/** The state of a thread after recording these envelopes in order, and the patches between them. */
function record(envelopes: readonly TurnEnvelope[]): { readonly states: readonly Json[]; readonly patches: Json[] } {
	let envelope: Json | undefined;
	const patches: Json[] = [];
	const states = envelopes.map((one) => {
		const thread = { state: () => ({ envelope, written: true }) } as unknown as LiveThread;
		for (const draft of envelopeRecords(thread, one)) {
			if (draft.kind !== "envelope") continue;
			patches.push(draft.patch);
			envelope = applyMergePatch(envelope, draft.patch);
		}
		return envelope ?? null;
	});
	return { states, patches };
}

const modes = fc.constantFrom("readOnly" as const, "ask" as const, "workspaceWrite" as const);
const turns = fc.array(fc.record({ mode: modes, hosts: fc.subarray(["a.example", "b.example"]) }), { maxLength: 12 });

function seal({ mode, hosts }: { readonly mode: "readOnly" | "ask" | "workspaceWrite"; readonly hosts: string[] }) {
	return anEnvelope({ settings: { permissions: { mode, network: "allowList", allowedDomains: hosts } } });
}

test("the records give back the policy of each turn, whatever policies follow each other", () => {
	fc.assert(
		fc.property(turns, (each) => {
			const envelopes = each.map(seal);
			const recorded = record(envelopes).states.map((state) => (state as { readonly policy?: Json } | null)?.policy);
			assert.deepEqual(
				recorded,
				envelopes.map(({ policy }) => JSON.parse(JSON.stringify(policy))),
			);
		}),
	);
});

test("an unchanged policy is not recorded again", () => {
	const [one, other] = [seal({ mode: "ask", hosts: [] }), seal({ mode: "readOnly", hosts: [] })];
	const { patches } = record([one, one, one, other, other, other]);
	const [begun, first, ...later] = patches;
	assert.equal(begun, null);
	assert.ok((first as { readonly policy?: Json }).policy);
	assert.deepEqual(
		later.map((patch) => Object.hasOwn(Object(patch), "policy")),
		[false, false, true, false, false],
	);
});
