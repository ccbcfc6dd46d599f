import assert from "node:assert/strict";
import type { EditorChat } from "./editor-chat.ts";
import type { Desk } from "./editor-desk.ts";
import { NEW_THREAD, pressKey } from "./editor-keys.ts";
import type { EditorWindow, WindowTarget } from "./editor-window.ts";
import { type FakeModel, startFakeModel } from "./fake-model.ts";
import type { RecordedRequest } from "./fake-model-request.ts";
import { type Step, says } from "./fake-model-steps.ts";
import { inputLines } from "./request-page.ts";

type PlayedStep = Step | (() => Step);

export interface OpenThread {
	readonly window: EditorWindow;
	readonly chat: EditorChat;
	readonly model: FakeModel;
	/** What the model does next, in place of what was left; then it only says "An answer." */
	readonly play: (...steps: readonly PlayedStep[]) => void;
	/** What it says to each request from now on, whatever is left to play. */
	readonly playEach: (answer: (request: RecordedRequest) => Step | undefined) => void;
	/** For the next claim in the same window. */
	readonly renew: () => void;
}

/**
 * A window with the chat open and a fake model behind it.
 *
 * @param prepare What is there before the window is.
 */
export async function openThread(
	desk: Desk,
	target: WindowTarget,
	settings: Readonly<Record<string, unknown>> = {},
	prepare?: (model: FakeModel) => Promise<void>,
): Promise<OpenThread> {
	let left: PlayedStep[] = [];
	let answerEach: ((request: RecordedRequest) => Step | undefined) | undefined;
	const model = await startFakeModel((request) => {
		const step = answerEach?.(request) ?? left.shift() ?? says("An answer.");
		return typeof step === "function" ? step() : step;
	});
	desk.defer(() => model.stop());
	desk.editor.writeUserSettings({
		...settings,
		"vitrine.model.provider": "compatible",
		"vitrine.model.baseUrl": model.baseUrl,
		"vitrine.model.id": "fake-1",
	});
	await prepare?.(model);
	const window = await desk.open(target);
	const play = (...steps: typeof left) => {
		left = steps;
		answerEach = undefined;
	};
	const playEach: OpenThread["playEach"] = (answer) => {
		answerEach = answer;
	};
	return { window, chat: await window.openChat(), model, play, playEach, renew: () => play() };
}

/** Goes on with an empty thread in the same window, whose page may be another one now. */
export async function startOver(window: EditorWindow): Promise<EditorChat> {
	return pressKey(window, NEW_THREAD, "the chat shows an empty thread and has the focus", () => findEmpty(window));
}

/** The chat, if it shows an empty thread and has the focus. */
export async function findEmpty(window: EditorWindow): Promise<EditorChat | false> {
	const chat = await window.chat();
	// The page may be on its way to another place.
	return (await isEmptyAndFocused(chat).catch(() => false)) && chat;
}

async function isEmptyAndFocused(chat: EditorChat): Promise<boolean> {
	return (await chat.threadId()) === "" && (await chat.welcome.isVisible()) && chat.isFocused();
}

/** For claims about what trust makes possible, in a window that may have it already. */
export async function trustFolder(window: EditorWindow, chat: EditorChat): Promise<void> {
	if ((await chat.banner("restricted").count()) === 0) return;
	await window.grantTrust();
	await chat.banner("restricted").waitFor({ state: "detached" });
}

/** What a request, counted from 1, tells the model under this name, such as `user/environment`. */
export function linesOf(model: FakeModel, request: number, name: string): readonly string[] {
	const sent = model.requests[request - 1];
	assert.ok(sent, `request ${request} did not come`);
	return inputLines(sent).filter((line) => line.startsWith(name));
}

/** Of these lines, the ones that the request before did not have. */
export function newLines(model: FakeModel, request: number, name: string): readonly string[] {
	return linesOf(model, request, name).slice(linesOf(model, request - 1, name).length);
}
