import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { renderStub } from "./page-stub.ts";
import { renderTheme, THEMES, type ThemeName } from "./themes.ts";

const DIST = process.env.VITRINE_PAGE_DIST ?? join(import.meta.dirname, "../../media/dist");
const NONCE = "only-for-this-test";
const TYPES: Record<string, string> = { js: "text/javascript", css: "text/css", ttf: "font/ttf" };

/** What is asked of a page: its colours, and where its clock stands still, if it does. */
interface Asked {
	readonly theme: ThemeName;
	readonly clock: string | null;
	/** English if it is not said. */
	readonly language: string | null;
}

const HTML: Readonly<Record<string, (asked: Asked) => string>> = {
	"/": (asked) => renderHtml(asked, "panel"),
	"/inspector": (asked) => renderHtml(asked, "inspector"),
	"/bare": (asked) => `<!DOCTYPE html><title>Bare</title><textarea id="composer"></textarea><p>Nothing yet.</p>
${stubTag(asked)}<script nonce="${NONCE}">${BARE}</script>`,
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
			response.end(html({ theme, clock: searchParams.get("clock"), language: searchParams.get("language") }));
			return;
		}
		if (pathname === "/theme.css") {
			response.writeHead(200, { "content-type": "text/css" });
			response.end(renderTheme(theme));
			return;
		}
		readOnce(pathname).then(
			(content) => {
				response.writeHead(200, {
					"cache-control": "max-age=3600, immutable",
					"content-type": TYPES[pathname.split(".").at(-1) ?? ""] ?? "text/plain",
				});
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

const read = new Map<string, Promise<Buffer>>();

function readOnce(pathname: string): Promise<Buffer> {
	const known = read.get(pathname) ?? readFile(join(DIST, pathname));
	read.set(pathname, known);
	return known;
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

function renderHtml(asked: Asked, bundle: "panel" | "inspector"): string {
	return `<!DOCTYPE html>
<html lang="${asked.language ?? "en"}">
<head>
<meta charset="utf-8">
<title>Vitrine</title>
<link rel="stylesheet" href="/theme.css?theme=${asked.theme}">
<link rel="stylesheet" href="/codicon.css">
<link rel="stylesheet" href="/${bundle}.css">
</head>
<body data-view="vitrine.chat" class="${bodyClass(asked)}" data-words="${wordsFor(asked)}">
<div id="app"></div>
${stubTag(asked)}
<script type="module" nonce="${NONCE}" src="/${bundle}.js"></script>
</body>
</html>`;
}

function wordsFor({ language }: Asked): string {
	if (language === null) return "";
	const bundle = readFileSync(join(import.meta.dirname, `../../l10n/bundle.l10n.${language}.json`), "utf8");
	return bundle.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
}

/** Where the clock stands still nothing turns either, as for readers who want it so: each turn is drawn, for as long as a test waits. */
function bodyClass({ theme, clock }: Asked): string {
	return [THEMES[theme].bodyClass, ...(clock === null ? [] : ["vscode-reduce-motion"])].join(" ");
}

function stubTag({ clock }: Asked): string {
	return `<script nonce="${NONCE}">${renderStub(clock === null ? undefined : Number(clock))}</script>`;
}

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
