import assert from "node:assert/strict";
import { test } from "node:test";
import type {
	pickListedModel as pick,
	Server,
	setUpServer,
} from "../../../../extension/commands/model/set-up-server.ts";
import type { Secret, Stored } from "../../../../extension/facts/keys.ts";
import { loadOverPaper, PaperEmitter } from "../../../support/load-over-paper.ts";

const STORED: Stored = { kind: "key", origin: "https://models.example" };
const SERVER: Server = {
	...{ provider: "compatible", wire: "chat", baseUrl: "https://models.example/v1" },
	...{ stored: STORED, secret: "needed" },
};

/**
 * The user types a key, and continues anyway if that is offered when the server cannot list its models; or presses Escape
 * while it is checked.
 */
async function setUp(
	answer: object | "escape" | ((method: string, params: unknown) => object),
	before?: string,
	{ server = SERVER, written = {} }: { readonly server?: Server; readonly written?: Record<string, unknown> } = {},
): Promise<{ readonly kept?: string; readonly wasOffered: boolean }> {
	const [accepted, pressed, hidden] = [new PaperEmitter(), new PaperEmitter(), new PaperEmitter()];
	let wasOffered = false;
	const input = {
		...{ value: "", busy: false, enabled: true, dispose: () => undefined },
		...{ onDidAccept: accepted.event, onDidTriggerButton: pressed.event, onDidHide: hidden.event },
		onDidChangeValue: new PaperEmitter().event,
		show: () => {
			input.value = "typed";
			accepted.fire(undefined);
		},
		set buttons(buttons: readonly unknown[]) {
			wasOffered = buttons.length > 0;
			queueMicrotask(() => (wasOffered ? pressed : hidden).fire(undefined));
		},
	};
	const loaded = await loadOverPaper<{ readonly setUpServer: typeof setUpServer }>(
		["extension/commands/model/set-up-server.ts"],
		{
			l10n: {},
			ThemeIcon: class {},
			ConfigurationTarget: { Global: 1 },
			workspace: {
				getConfiguration: () => ({
					get: () => undefined,
					inspect: () => undefined,
					update: async (name: string, value: unknown) => void Object.assign(written, { [name]: value }),
				}),
			},
			window: { createInputBox: () => input, showInputBox: async () => "a-model" },
		},
	);
	let held: Secret | undefined = before === undefined ? undefined : { value: before };
	const keys = {
		get: async () => held,
		set: async (_: Stored, secret: Secret) => {
			held = secret;
		},
		remove: async () => {
			held = undefined;
		},
	};
	const late = Promise.withResolvers<object>();
	const host = {
		request: ({ name }: { readonly name: string }, params: unknown) => {
			if (typeof answer === "function") return (async () => answer(name, params))();
			if (answer !== "escape") return Promise.reject(Object.assign(new Error("It failed."), answer));
			hidden.fire(undefined);
			return late.promise;
		},
	};
	await loaded.setUpServer(host as never, keys as never, server);
	late.resolve({ models: [] });
	await new Promise((resolve) => setImmediate(resolve));
	return { wasOffered, ...(held !== undefined && { kept: held.value }) };
}

test("a list of models that was cut says so where another name can be typed", async () => {
	const offered: (readonly { readonly label: string; readonly description?: string }[])[] = [];
	const showQuickPick = async (rows: (typeof offered)[number]) => void offered.push(rows);
	const { pickListedModel } = await loadOverPaper<{ readonly pickListedModel: typeof pick }>(
		["extension/commands/model/set-up-server.ts"],
		{ l10n: {}, window: { showQuickPick } },
	);
	const list = (count: number) =>
		Array.from({ length: count }, (_, index) => ({ id: `m${index}`, window: 8_000, windowSource: "server" as const }));
	await pickListedModel("Set Up", list(3) as never);
	await pickListedModel("Set Up", list(1_000) as never);
	const said = offered.map((rows) => rows.at(-1)?.description);
	assert.deepEqual(said, ["", "only the first 1,000 models are listed"]);
});

test("a key for a server that cannot list its models is kept when the user continues anyway", async () => {
	for (const before of [undefined, "old"])
		assert.deepEqual(await setUp({ data: { kind: "model-unavailable" } }, before), { wasOffered: true, kept: "typed" });
});

test("a key that the server refuses is not kept, and the user cannot continue with it", async () => {
	const refused = { data: { kind: "key-refused" } };
	assert.deepEqual(await setUp(refused), { wasOffered: false });
	assert.deepEqual(await setUp(refused, "old"), { wasOffered: false, kept: "old" });
});

test("a key is not kept if the user presses Escape while it is checked, even if it works", async () => {
	assert.deepEqual(await setUp("escape"), { wasOffered: false });
	assert.deepEqual(await setUp("escape", "old"), { wasOffered: false, kept: "old" });
});

test("the API that was detected is the one whose models are listed, and is kept when the user continues without a list", async () => {
	const { wire: _, ...server } = SERVER;
	const [asked, written]: [unknown[], Record<string, unknown>] = [[], {}];
	const answer = (method: string, params: unknown): object => {
		if (method === "model/detect") return { wire: "messages" };
		asked.push((params as { readonly settings: { readonly model: object } }).settings.model);
		throw Object.assign(new Error("No list."), { data: { kind: "settings-refused" } });
	};
	assert.deepEqual(await setUp(answer, undefined, { server, written }), { wasOffered: true, kept: "typed" });
	assert.deepEqual(asked, [
		{ provider: "compatible", wire: "messages", auth: "apiKey", baseUrl: "https://models.example/v1" },
	]);
	assert.equal(written.wire, "messages");
});
