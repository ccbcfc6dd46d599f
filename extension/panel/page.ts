import type { Bundle } from "../../l10n/t.ts";

/** The page's HTML. It may load its own script, styles and font and the images it is given; nothing else. */
export function renderPage(page: {
	readonly view: string;
	readonly title: string;
	readonly language: string;
	/** Bundle of that language; none for English. */
	readonly words: Bundle | undefined;
	readonly nonce: string;
	readonly cspSource: string;
	readonly script: string;
	readonly styles: readonly string[];
}): string {
	const policy = [
		"default-src 'none'",
		`script-src 'nonce-${page.nonce}'`,
		`style-src ${page.cspSource}`,
		`font-src ${page.cspSource}`,
		"img-src data:",
		"base-uri 'none'",
		"form-action 'none'",
		"require-trusted-types-for 'script'",
		"trusted-types 'none'",
	].join("; ");
	return `<!DOCTYPE html>
<html lang="${page.words === undefined ? "en" : page.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
${page.styles.map((href) => `<link rel="stylesheet" href="${href}">`).join("\n")}
<title>${page.title}</title>
</head>
<body data-view="${page.view}" data-words="${page.words === undefined ? "" : escapeAttribute(JSON.stringify(page.words))}">
<div id="app"></div>
<script type="module" nonce="${page.nonce}" src="${page.script}"></script>
</body>
</html>`;
}

/** A page with one sentence and one command link, which runs no script and loads nothing. */
export function renderNotice(words: string, link: { readonly label: string; readonly command: string }): string {
	return `<!DOCTYPE html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'">
</head>
<body>
<p>${escapeAttribute(words)}</p>
<p><a href="command:${link.command}">${escapeAttribute(link.label)}</a></p>
</body>
</html>`;
}

function escapeAttribute(text: string): string {
	return text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
}
