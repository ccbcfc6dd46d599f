import assert from "node:assert/strict";
import { test } from "node:test";
import { SECTIONS } from "../../../agent-host/context/catalog.ts";
import { diffWorld, stateWorld } from "../../../agent-host/context/diff.ts";
import { CONSUMERS, type Consumer } from "../../../agent-host/envelope/consumers.ts";
import type { TurnEnvelope } from "../../../agent-host/envelope/envelope.ts";
import { summarizeEnvelope } from "../../../agent-host/envelope/summary.ts";
import { clientFor, type ModelEffects } from "../../../agent-host/model/client.ts";
import { buildRequest } from "../../../agent-host/model/request.ts";
import { Settings } from "../../../agent-host/protocol/settings.ts";
import { aModel, anEnvelope } from "../../support/an-envelope.ts";

/** An envelope in which every field has a value, as no field may stay unread for want of one. */
const FULL = anEnvelope({
	workspace: { branch: "main", editor: { openFiles: ["a"], unsavedFiles: [], problems: [], files: [], excerpts: [] } },
	request: {
		model: aModel({ baseUrl: "http://127.0.0.1:1/v1", windowSource: "setting" }),
		outputSchema: { type: "object" },
		settings: Settings.parse({
			model: { contextWindow: 9_000, provider: "compatible", baseUrl: "http://127.0.0.1:1/v1" },
			budgets: { thread: { tokens: 1_000 } },
		}),
	},
});

/** What each room does with an envelope. Those whose reading is spread over effects are held by the types alone. */
const ROOMS: Partial<Record<Consumer, (envelope: TurnEnvelope) => void>> = {
	context: (envelope) => {
		const told = stateWorld(SECTIONS, anEnvelope({ request: { model: aModel({ id: "other" }) } })).snapshot;
		diffWorld(SECTIONS, envelope, told, new Set());
		stateWorld(SECTIONS, envelope);
	},
	model: (envelope) => {
		buildRequest(envelope, [], []);
		// Nothing of these is called: the client is made, not used.
		clientFor(envelope.identity, {} as ModelEffects);
	},
	surfaces: (envelope) => {
		summarizeEnvelope(envelope);
	},
};

for (const [consumer, read] of Object.entries(ROOMS)) {
	test(`${consumer} reads exactly the fields that are listed for it`, () => {
		const found = new Set<string>();
		read(recording(FULL, found));
		assert.deepEqual([...found].sort(), listedFor(consumer as Consumer).sort());
	});
}

function listedFor(consumer: Consumer): string[] {
	return Object.entries(CONSUMERS).flatMap(([group, fields]) =>
		Object.entries(fields as Record<string, readonly Consumer[]>)
			.filter(([, readers]) => readers.includes(consumer))
			.map(([field]) => `${group}.${field}`),
	);
}

/** The envelope, noting each field that is asked for. */
function recording(envelope: TurnEnvelope, found: Set<string>): TurnEnvelope {
	const groups = Object.entries(envelope).map(([group, fields]) => [
		group,
		new Proxy(fields as object, {
			get(target, field) {
				if (typeof field === "string") found.add(`${group}.${field}`);
				return Reflect.get(target, field);
			},
			// A proxy of a frozen object must show its own values.
			getOwnPropertyDescriptor: (target, field) => Reflect.getOwnPropertyDescriptor(target, field),
		}),
	]);
	return Object.fromEntries(groups) as TurnEnvelope;
}
