import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { renderTheme, THEMES, type ThemeName } from "./themes.ts";

const DIST = process.env.VITRINE_PAGE_DIST ?? join(import.meta.dirname, "../../media/dist");
const NONCE = "only-for-this-test";
const TYPES: Record<string, string> = { js: "text/javascript", css: "text/css", ttf: "font/ttf" };

const HTML: Readonly<Record<string, (theme: ThemeName) => string>> = {
	"/": (theme) => renderHtml(theme, "panel"),
	"/inspector": (theme) => renderHtml(theme, "inspector"),
	"/bare": () => `<!DOCTYPE html><title>Bare</title><textarea id="composer"></textarea><p>Nothing yet.</p>
<script nonce="${NONCE}">${STUB}</script><script nonce="${NONCE}">${BARE}</script>`,
};

/** Serves the built page on this machine, with a stricter policy than the extension's own. */
export async function servePage(): Promise<Server> {
	const server = createServer((request, response) => {
		const { pathname, searchParams } = new URL(request.url ?? "/", "http://page");
		const theme = (searchParams.get("theme") ?? "dark") as ThemeName;
		const origin = `http://${request.headers.host}`;
		const html = HTML[pathname];
		if (html !== undefined) {
			response.writeHead(200, { "content-type": "text/html", "content-security-policy": policyFor(origin) });
			response.end(html(theme));
			return;
		}
		if (pathname === "/theme.css") {
			response.writeHead(200, { "content-type": "text/css" });
			response.end(renderTheme(theme));
			return;
		}
		readFile(join(DIST, pathname)).then(
			(content) => {
				response.writeHead(200, { "content-type": TYPES[pathname.split(".").at(-1) ?? ""] ?? "text/plain" });
				response.end(content);
			},
			() => {
				response.writeHead(404);
				response.end();
			},
		);
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return server;
}

function policyFor(origin: string): string {
	return [
		"default-src 'none'",
		`script-src 'nonce-${NONCE}'`,
		`style-src ${origin}`,
		`font-src ${origin}`,
		"img-src data:",
		"base-uri 'none'",
		"form-action 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	].join("; ");
}

function renderHtml(theme: ThemeName, bundle: "panel" | "inspector"): string {
	return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Vitrine</title>
<link rel="stylesheet" href="/theme.css?theme=${theme}">
<link rel="stylesheet" href="/codicon.css">
<link rel="stylesheet" href="/${bundle}.css">
</head>
<body data-view="vitrine.chat" class="${THEMES[theme].bodyClass}">
<div id="app"></div>
<script nonce="${NONCE}">${STUB}</script>
<script type="module" nonce="${NONCE}" src="/${bundle}.js"></script>
</body>
</html>`;
}

/**
 * Stands for VS Code: keeps what the page posts and saves, and notes everything the policy refused. Short timers
 * are noted too, because the page rests on one after a costly frame and has not drawn everything until it ends.
 */
const STUB = `
	window.stub = { posted: [], violations: [], timers: new Set(), now: undefined };
	const now = Date.now;
	Date.now = () => window.stub.now ?? now();
	const { setTimeout: start, clearTimeout: stop } = window;
	window.setTimeout = (run, ms = 0, ...args) => {
		const timer = start(() => {
			window.stub.timers.delete(timer);
			run(...args);
		}, ms);
		if (ms <= 500) window.stub.timers.add(timer);
		return timer;
	};
	window.clearTimeout = (timer) => {
		window.stub.timers.delete(timer);
		stop(timer);
	};
	document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
		window.stub.violations.push([violatedDirective, blockedURI, sample].join(" "));
	});
	window.acquireVsCodeApi = () => ({
		postMessage: (message) => window.stub.posted.push(message),
		getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null") ?? undefined,
		setState: (state) => sessionStorage.setItem("state", JSON.stringify(state)),
	});
`;

/** The least a page can do with an answer that streams: its text, once a frame. */
const BARE = `
	let arrived = "";
	window.addEventListener("message", ({ data }) => {
		if (data.type !== "events") return;
		if (arrived === "") requestAnimationFrame(() => {
			document.body.append(Object.assign(document.createElement("p"), { textContent: arrived }));
			arrived = "";
		});
		for (const { event } of data.events) arrived += event.text ?? "";
	});
	acquireVsCodeApi().postMessage({ type: "ready" });
`;
