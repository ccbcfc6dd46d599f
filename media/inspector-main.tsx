import { render } from "preact";
import { setPageLanguage } from "./browser/page-language.ts";
import type { ToInspector } from "./inspector-wire.ts";
import { Inspector } from "./model/inspector/inspector.ts";
import "./styles/inspector.css";
import { InspectorView } from "./view/inspector/inspector-view.tsx";

setPageLanguage();
const vscode = acquireVsCodeApi<unknown>();
const inspector = new Inspector((message) => vscode.postMessage(message));

// Only the extension can post here: the page has no frames, and nothing else holds its window.
window.addEventListener("message", ({ data }: MessageEvent<ToInspector>) => inspector.receive(data));

const root = document.getElementById("app");
if (root) render(<InspectorView inspector={inspector} />, root);
vscode.postMessage({ type: "ready" });
