import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import type { ParamsOf } from "../../../agent-host/protocol/method.ts";
import type { PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import type { AttachedInput } from "../../../agent-host/protocol/thread/attached.ts";
import type { PublishedEvent, ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { Item } from "../../../agent-host/protocol/thread/item.ts";
import { turnStart } from "../../../agent-host/protocol/thread/turn.ts";
import { type EditorRequest, type EditorStep, fakeEditorModels } from "../../support/fake-editor-models.ts";
import type { RecordedRequest } from "../../support/fake-model-request.ts";
import type { Step } from "../../support/fake-model-steps.ts";
import { aThread, endOfTurn, type HostProcess, type TurnOutcome } from "../../support/host-process.ts";
import { withHost } from "./with-host.ts";

export const WIRES = ["responses", "chat", "messages", "gemini", "editor"] as const;
export type WireName = (typeof WIRES)[number];

/** A host that speaks one wire, and a model that does what it is told next. */
export interface WireRig {
	readonly wire: WireName;
	readonly host: HostProcess;
	readonly workspace: string;
	/** Runs one turn, in a thread of its own unless one is named; the steps are played in order. */
	turn(steps: readonly EditorStep[], options?: TurnOptions): Promise<WireTurn>;
	/** What the model does from now on, for as long as it is asked. */
	always(step: EditorStep): void;
	/** Requests so far, each as the text of its body. */
	requests(): readonly string[];
	/** Streams that the host has left. */
	left(): number;
}

type OutputSchema = NonNullable<NonNullable<ParamsOf<typeof turnStart>["overrides"]>["outputSchema"]>;

interface TurnOptions {
	readonly threadId?: ThreadId;
	readonly settings?: PartialSettings;
	/** In base64. */
	readonly images?: readonly string[];
	/** What goes along with the prompt besides images. */
	readonly attached?: readonly AttachedInput[];
	readonly outputSchema?: OutputSchema;
}

export interface WireTurn extends TurnOutcome {
	readonly threadId: ThreadId;
	readonly items: readonly Item[];
	readonly usage: Extract<ThreadEvent, { type: "usage" }> | undefined;
	/** Requests of this turn. */
	readonly requests: readonly string[];
}

/** Runs `body` with one host on a wire. */
export function withWire(
	t: TestContext,
	wire: WireName,
	settings: PartialSettings,
	body: (rig: WireRig) => Promise<void>,
): Promise<void> {
	let steps: EditorStep[] = [];
	let lasting: EditorStep | undefined;
	const next = () => steps.shift() ?? lasting ?? assert.fail("The script has no step for this request.");
	const editorModels = fakeEditorModels(next);
	const model = wire === "editor" ? { provider: "editor" as const, id: "fake-1" } : { wire };
	const script = () => next() as Step;
	const options = { script, editorModels, settings: { ...settings, model: { ...model, ...settings.model } } };
	return withHost(t, options, async ({ host, model: server, world }) => {
		const requests = () =>
			wire === "editor"
				? editorModels.requests.map((request: EditorRequest) => JSON.stringify(request))
				: server.requests.map((request: RecordedRequest) => request.text);
		await body({
			wire,
			host,
			workspace: world.workspace,
			requests,
			left: () => editorModels.cancelled.length + server.requests.filter(({ closedByClient }) => closedByClient).length,
			always(step) {
				lasting = step;
			},
			async turn(some, { threadId, settings: own = {}, images = [], attached = [], outputSchema } = {}) {
				steps = [...some];
				const id = threadId ?? (await aThread(host, { settings: own }));
				const before = requests().length;
				const input = [
					{ kind: "text" as const, text: "Go." },
					...images.map((data) => ({ kind: "image" as const, data })),
					...attached,
				];
				const overrides = outputSchema === undefined ? {} : { overrides: { outputSchema } };
				const { turnId } = await host.request(turnStart, { threadId: id, input, ...overrides });
				const outcome = await endOfTurn(host, id, turnId);
				return {
					...outcome,
					threadId: id,
					items: itemsOf(outcome.published),
					usage: outcome.published.map(({ event }) => event).findLast((event) => event.type === "usage"),
					requests: requests().slice(before),
				};
			},
		});
	});
}

function itemsOf(published: readonly PublishedEvent[]): readonly Item[] {
	return published.flatMap(({ event }) => (event.type === "itemCompleted" ? [event.item] : []));
}
