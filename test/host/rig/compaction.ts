import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { ThreadId, TurnId } from "../../../agent-host/protocol/ids.ts";
import type { PartialSettings } from "../../../agent-host/protocol/settings/settings.ts";
import { threadCompact } from "../../../agent-host/protocol/thread/compaction.ts";
import type { ThreadEvent } from "../../../agent-host/protocol/thread/events.ts";
import type { World } from "../../support/canaries.ts";
import { type FakeModel, type Script, startFakeModel } from "../../support/fake-model.ts";
import type { RecordedRequest } from "../../support/fake-model-request.ts";
import { type Reply, type Step, says } from "../../support/fake-model-steps.ts";
import { aThread, type HostProcess, runTurn, type TurnOutcome } from "../../support/host-process.ts";
import { matchesPage, renderPage } from "../../support/request-page.ts";
import { pointAt } from "./with-host.ts";

/** These pages are about whether there are tools, not which. */
export const ALL_TOOLS = [/(?<=^ {2}tools )(?!none$).*$/gm, "<TOOLS>"] as const;

/** One thread with a model of its own on a host that many share. */
export interface Talk {
	readonly host: HostProcess;
	readonly threadId: ThreadId;
	readonly model: FakeModel;
	say(text: string): Promise<TurnOutcome>;
	/** Compares everything that was sent to the model with a committed page. */
	matches(page: string, labels: readonly string[]): void;
	events<T extends ThreadEvent["type"]>(type: T): readonly Extract<ThreadEvent, { type: T }>[];
	/** The cards of the compactions so far. */
	cards(): readonly Card[];
}

type Card = Extract<Extract<ThreadEvent, { type: "itemCompleted" }>["item"], { kind: "contextCompaction" }>;

export async function aTalk(
	t: TestContext,
	{ host, world }: { readonly host: HostProcess; readonly world: World },
	script: Script,
	settings: PartialSettings = {},
): Promise<Talk> {
	const model = await startFakeModel(script);
	t.after(() => model.stop());
	const threadId = await aThread(host, { settings: { ...settings, ...pointAt(model, settings) } });
	const published = () => host.events(threadId).map(({ event }) => event);
	return {
		host,
		threadId,
		model,
		say: (text) => runTurn(host, threadId, text),
		matches(page, labels) {
			assert.equal(model.requests.length, labels.length, "as many requests as labels");
			const requests = model.requests.map((request, index) => ({ label: labels[index] ?? "", request }));
			matchesPage(page, renderPage(requests, [[world.workspace, "<CWD>"], ALL_TOOLS]));
		},
		events: <T extends ThreadEvent["type"]>(type: T) =>
			published().filter((event): event is Extract<ThreadEvent, { type: T }> => event.type === type),
		cards: () =>
			published().flatMap((event) =>
				event.type === "itemCompleted" && event.item.kind === "contextCompaction" ? [event.item] : [],
			),
	};
}

/** Compacts by hand and waits for the turn that does it. */
export async function compactNow(
	{ host, threadId }: Pick<Talk, "host" | "threadId">,
	options: { readonly focus?: string; readonly throughTurnId?: TurnId } = {},
): Promise<void> {
	const ended = () => host.events(threadId).filter(({ event }) => event.type === "turnCompleted").length;
	const known = ended();
	await host.request(threadCompact, { threadId, ...options });
	await host.waitFor(threadId, () => ended() > known);
}

export function isCompaction(request: RecordedRequest): boolean {
	return request.path.endsWith("/compact") || request.text.includes("<compaction_request>");
}

/** Takes the steps of a conversation in order, and another's for requests to compact. */
export function inTurns(conversation: readonly Step[], compactions: readonly Step[]): Script {
	let talked = 0;
	let compacted = 0;
	return (request) => (isCompaction(request) ? compactions[compacted++] : conversation[talked++]);
}

/** An answer that keeps the contract, or breaks it as asked. */
export function sumsUp(
	request: string,
	recent: readonly string[],
	change: { readonly summary?: string; readonly around?: (json: string) => string } = {},
): Reply {
	const intent = [
		"The project greets people.",
		"<VERBATIM_REQUEST_START>",
		request,
		"<VERBATIM_REQUEST_END>",
		"<RECENT_USER_CONTEXT_START>",
		recent.join("\n\n"),
		"<RECENT_USER_CONTEXT_END>",
	].join("\n");
	const summary = change.summary ?? "One file was read.\nRESUME_AT: answer the user's next message";
	const json = JSON.stringify({ intent_user_message: intent, summary });
	return says(change.around?.(json) ?? json, { chunk: 400 });
}

/** A text of about so many tokens. */
export function long(tokens: number, word = "word"): string {
	return `${word} `.repeat(tokens).trimEnd();
}
