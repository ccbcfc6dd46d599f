import assert from "node:assert/strict";
import { test } from "node:test";
import MarkdownIt from "markdown-it";
import type { LedgerEntry } from "../../../../agent-host/protocol/approval/ledger.ts";
import { TurnId } from "../../../../agent-host/protocol/ids.ts";
import { renderInstructions } from "../../../../extension/views/reports/instructions-words.ts";
import { renderLedger, renderPolicy } from "../../../../extension/views/reports/render-document.ts";
import { renderDoctor, renderProbe, renderStatus } from "../../../../extension/views/reports/report-words.ts";

/** As the editor's own preview reads a page: with HTML, and every image of an https address is fetched. */
const preview = new MarkdownIt({ html: true, linkify: true });

/** Texts that a path, a server's answer or a line of a repository can consist of. */
const FOREIGN = [
	"/x/![](https:&#47;&#47;example.org/?secret)",
	"![](https://example.org/?secret)",
	"<img src=https://example.org/>",
	"[Healthy](https://example.org/)",
	"\\![](https://example.org/)",
	"\\[Healthy](https://example.org/)",
	"`![](https://example.org/)",
	"``` ![](https://example.org/)",
	"a\n\n![](https://example.org/)",
	"a\n````\n![](https://example.org/)",
	"a\n\n# Healthy",
	"# Healthy",
	"a | b\n--- | ---",
];

const PAGES: Readonly<Record<string, (text: string) => string>> = {
	"the decisions of a thread": (text) => {
		const entry: LedgerEntry = {
			...{ seq: 1, at: 0, turnId: TurnId.parse("t"), callId: "c", digest: "d", decision: "allowRule", by: "user" },
			...{ what: text, reason: text, note: text, host: text, rules: [{ prefix: [text], decision: "allow" }] },
			serverTool: { server: text, tool: text, digest: "d" } as never,
		};
		return renderLedger([entry], false);
	},
	"the policy": (text) =>
		renderPolicy({
			...{ name: text, nameSaid: {}, words: [{ message: text }], digest: "d" },
			...{ sandbox: "bubblewrap", commands: true, compiled: ["bwrap", "--ro-bind", text, text] },
		}),
	"the doctor's report": (text) =>
		renderDoctor({
			checks: [{ name: "Storage", state: "problem", lines: [{ message: text }], fix: { message: text } }],
		}),
	"the instructions": (text) => {
		const places = [0, 1].map((line) => ({ path: text, line, text: line === 0 ? text : `${text} ` }));
		return renderInstructions({
			...{ files: [{ path: text, origin: "workspace", tokens: 1, cut: text }], budget: 9, problems: [text] },
			...{ findings: [{ kind: "duplicate", places }], notLoaded: [{ path: text, why: "covered" }] },
		});
	},
	"the test of the sandbox": (text) =>
		renderProbe({
			...{ at: 0, ms: 1, digest: "d", sandbox: "bubblewrap", state: "notRun", reason: text },
			attempts: [{ what: text, expected: "refused", happened: "refused", ok: true }],
		}),
	"the status": (text) =>
		renderStatus(
			{
				...{ version: "1", pid: 7, home: text, trusted: true, folders: [], search: "walk", openDocuments: 0 },
				model: { provider: "openai", id: text, window: 0, pricesRead: "2026-07-02" },
			},
			undefined,
			undefined,
		),
};

for (const [page, render] of Object.entries(PAGES)) {
	test(`text of a model, a server or a repository never becomes an image, a named link, HTML or a heading in ${page}`, () => {
		const headings = countHeadings(preview.render(render("plain")));
		for (const text of FOREIGN) {
			const html = preview.render(render(text));
			assert.doesNotMatch(html, /<img/i, text);
			assert.doesNotMatch(html, />Healthy<\/a>/, text);
			assert.equal(countHeadings(html), headings, text);
		}
	});
}

function countHeadings(html: string): number {
	return html.match(/<h\d/g)?.length ?? 0;
}
