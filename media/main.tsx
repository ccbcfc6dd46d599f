import { render } from "preact";
import { createFramePace } from "./browser/frame-pace.ts";
import { setPageLanguage } from "./browser/page-language.ts";
import { playChime } from "./browser/play-chime.ts";
import "./styles/page.css";
import { readImage, readText } from "./browser/read-file.ts";
import { Page } from "./model/page.ts";
import { App } from "./view/app.tsx";
import type { ToWebview } from "./wire.ts";

setPageLanguage();
const vscode = acquireVsCodeApi<unknown>();

const page = new Page({
	post: (message) => vscode.postMessage(message),
	save: (state) => vscode.setState(state),
	keep: (state, images) => vscode.postMessage({ type: "keep", state, ...(images && { images }) }),
	saved: vscode.getState(),
	beforePaint: createFramePace(),
	now: () => Date.now(),
	newId: () => crypto.randomUUID(),
	readImage,
	readText,
	chime: playChime,
});

// Only the extension can post here: the page has no frames, and nothing else holds its window.
window.addEventListener("message", ({ data }: MessageEvent<ToWebview>) => page.receive(data));

window.addEventListener("focus", () => vscode.postMessage({ type: "focused" }));

const root = document.getElementById("app");
if (root) render(<App page={page} />, root);
vscode.postMessage({ type: "ready" });
