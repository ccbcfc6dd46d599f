import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import * as esbuild from "esbuild";
import { CLIENT_METHODS } from "../../../../agent-host/protocol/catalog.ts";
import type { serveEditorModels } from "../../../../extension/host/editor-models.ts";

class TextPart {
	readonly value: string;
	constructor(value: string) {
		this.value = value;
	}
}
class ToolCallPart {
	readonly callId: string;
	readonly name: string;
	readonly input: object;
	constructor(callId: string, name: string, input: object) {
		this.callId = callId;
		this.name = name;
		this.input = input;
	}
}
class ToolResultPart {
	readonly callId: string;
	readonly content: readonly unknown[];
	constructor(callId: string, content: readonly unknown[]) {
		this.callId = callId;
		this.content = content;
	}
}
class ChatMessage {
	readonly role: number;
	readonly content: readonly unknown[];
	constructor(role: number, content: readonly unknown[]) {
		this.role = role;
		this.content = content;
	}
}
class CancellationError extends Error {}
class LanguageModelError extends Error {
	readonly code: string;
	constructor(code: string) {
		super(`The editor says ${code}.`);
		this.code = code;
	}
	static NoPermissions(): void {}
	static Blocked(): void {}
	static NotFound(): void {}
}

type Ask = (messages: readonly ChatMessage[], options: object) => AsyncIterable<unknown>;

/** The part of an editor that serves models, on paper. */
const paper: { ask: Ask; messages: readonly ChatMessage[]; options: object } = {
	ask: async function* () {},
	messages: [],
	options: {},
};
const editor = {
	LanguageModelTextPart: TextPart,
	LanguageModelToolCallPart: ToolCallPart,
	LanguageModelToolResultPart: ToolResultPart,
	LanguageModelChatMessage: ChatMessage,
	LanguageModelChatMessageRole: { User: 1, Assistant: 2 },
	LanguageModelError,
	CancellationError,
	lm: {
		selectChatModels: async ({ id = "m" } = {}) =>
			id === "m"
				? [
						{
							id: "m",
							name: "Model",
							vendor: "v",
							maxInputTokens: 9_000,
							countTokens: async (text: string) => text.length,
							sendRequest: async (messages: readonly ChatMessage[], options: object) => {
								Object.assign(paper, { messages, options });
								return { stream: paper.ask(messages, options) };
							},
						},
					]
				: [],
	},
};

const handlers = new Map<string, (raw: unknown, token: object) => Promise<unknown>>();
const sent: unknown[] = [];
const folder = mkdtempSync(join(tmpdir(), "vitrine-editor-models-"));
after(() => rmSync(folder, { recursive: true, force: true }));
Object.assign(globalThis, { vitrinePaperModels: editor });
const outfile = join(folder, "editor-models.mjs");
await esbuild.build({
	entryPoints: [join(import.meta.dirname, "../../../../extension/host/editor-models.ts")],
	outfile,
	bundle: true,
	platform: "node",
	format: "esm",
	plugins: [
		{
			name: "paper",
			setup({ onResolve, onLoad }) {
				onResolve({ filter: /^vscode$/ }, ({ path }) => ({ path, namespace: "paper" }));
				onLoad({ filter: /./, namespace: "paper" }, () => ({
					contents: "module.exports = globalThis.vitrinePaperModels;",
				}));
			},
		},
	],
});
const served: { readonly serveEditorModels: typeof serveEditorModels } = await import(pathToFileURL(outfile).href);
const answers = served.serveEditorModels({
	sendNotification: async (_: string, params: unknown) => sent.push(params),
	// The paper client has what the code under test calls.
} as never);
for (const key of Object.keys(answers) as (keyof typeof answers)[]) {
	const { name, params } = CLIENT_METHODS[key];
	handlers.set(name, (raw, token) => answers[key](params.parse(raw) as never, token as never));
}

const REQUEST = {
	streamId: "s",
	model: "m",
	messages: [
		{ role: "user", content: [{ kind: "text", text: "Hi" }] },
		{ role: "assistant", content: [{ kind: "toolCall", callId: "c", name: "f", input: { x: 1 } }] },
		{ role: "user", content: [{ kind: "toolResult", callId: "c", text: "one" }] },
	],
	tools: [{ name: "f", description: "F.", inputSchema: { type: "object" } }],
};

function call(name: string, params: unknown, cancelled = false): Promise<unknown> {
	sent.length = 0;
	return handlers.get(name)?.(params, { isCancellationRequested: cancelled }) ?? assert.fail();
}

test("models are listed with their context windows, and the model itself counts tokens", async () => {
	assert.deepEqual(await call("editorModel/list", {}), {
		models: [{ id: "m", name: "Model", vendor: "v", window: 9_000 }],
	});
	assert.deepEqual(await call("editorModel/countTokens", { model: "m", text: "four" }), { tokens: 4 });
	assert.deepEqual(await call("editorModel/countTokens", { model: "gone", text: "four" }), { tokens: 0 });
});

test("a request reaches the model as the editor's own types, and the parts of its answer come back in order", async () => {
	paper.ask = async function* () {
		yield new TextPart("Hel");
		yield { thought: "not for us" };
		yield new TextPart("lo");
		yield new ToolCallPart("d", "f", { y: 2 });
	};
	assert.deepEqual(await call("editorModel/stream", REQUEST), { status: "completed" });
	assert.deepEqual(sent, [
		{ streamId: "s", part: { kind: "text", text: "Hel" } },
		{ streamId: "s", part: { kind: "text", text: "lo" } },
		{ streamId: "s", part: { kind: "toolCall", callId: "d", name: "f", input: { y: 2 } } },
	]);
	assert.deepEqual(paper.messages, [
		new ChatMessage(1, [new TextPart("Hi")]),
		new ChatMessage(2, [new ToolCallPart("c", "f", { x: 1 })]),
		new ChatMessage(1, [new ToolResultPart("c", [new TextPart("one")])]),
	]);
	assert.deepEqual(Object.keys(paper.options), ["justification", "tools"]);
});

const ENDS: readonly (readonly [string, Error, string])[] = [
	["consent refused", new LanguageModelError("NoPermissions"), "no-consent"],
	["the model removed", new LanguageModelError("NotFound"), "not-found"],
	["blocked", new LanguageModelError("Blocked"), "quota"],
	["cancelled by the editor", new CancellationError(), "cancelled"],
	["no quota, in words", new Error("You have exceeded your premium request allowance."), "quota"],
	["a rate limit, in words", new Error("Sorry, you have been rate-limited."), "rate-limit"],
	["too long, in words", new Error("Message exceeds token limit."), "too-long"],
	["anything else", new Error("Boom."), "other"],
];

for (const [what, error, code] of ENDS) {
	test(`${what} ends the stream as “${code}”, even midway`, async () => {
		paper.ask = async function* () {
			yield new TextPart("Half");
			throw error;
		};
		const end = (await call("editorModel/stream", REQUEST)) as { readonly status: string; readonly code: string };
		assert.deepEqual([end.status, end.code], ["failed", code]);
	});
}

test("a missing model and a cancelled stream do not count as an answer", async () => {
	paper.ask = async function* () {};
	const gone = await call("editorModel/stream", { ...REQUEST, model: "gone" });
	const cancelled = await call("editorModel/stream", REQUEST, true);
	assert.deepEqual(
		[gone, cancelled],
		[
			{ status: "failed", code: "not-found", message: "gone" },
			{ status: "failed", code: "cancelled", message: "" },
		],
	);
});
