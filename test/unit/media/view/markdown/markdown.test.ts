import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileName } from "../../../../../media/view/markdown/code-block.ts";
import { MAX_FORMATTED_CHARS, MAX_FORMATTED_LINES, renderBlock } from "../../../../../media/view/markdown/markdown.ts";
import { type Plain, toPlain } from "./a-vnode.ts";

function draw(source: string): Plain[] {
	return toPlain(renderBlock({ source, finished: true }, {}));
}

function link(url: string, ...children: Plain[]): Plain {
	return ["a", { class: "link", role: "link", tabIndex: 0, title: url, "data-link": url }, ...children];
}

test("the usual Markdown becomes elements", () => {
	assert.deepEqual(draw("Some **bold**, *slanted*, ~~gone~~ and `code`.  \nNext\nline"), [
		[
			"p",
			{},
			"Some ",
			["strong", {}, "bold"],
			", ",
			["em", {}, "slanted"],
			", ",
			["s", {}, "gone"],
			" and ",
			["code", { class: "code-inline" }, "code"],
			".",
			["br", {}],
			"Next\nline",
		],
	]);
});

test("lists keep their numbers, and boxes become tasks", () => {
	const box = (icon: string, label: string): Plain => [
		"span",
		{ class: `task-box codicon ${icon}`, role: "img", "aria-label": label },
	];
	assert.deepEqual(draw("3. three\n4. four"), [["ol", { start: 3 }, ["li", {}, "three"], ["li", {}, "four"]]]);
	assert.deepEqual(draw("- [ ] to do\n- [x] done\n- [y] neither"), [
		[
			"ul",
			{},
			["li", { class: "task" }, box("codicon-circle-large-outline", "To do:"), "to do"],
			["li", { class: "task" }, box("codicon-pass-filled", "Done:"), "done"],
			["li", {}, "[y] neither"],
		],
	]);
});

test("tables keep the alignment of their columns", () => {
	assert.deepEqual(draw("| a | b | c |\n| - | :-: | -: |\n| 1 | 2 | 3 |"), [
		[
			"div",
			{ class: "table", tabIndex: 0 },
			[
				"table",
				{},
				[
					"thead",
					{},
					["tr", {}, ["th", {}, "a"], ["th", { class: "align-center" }, "b"], ["th", { class: "align-right" }, "c"]],
				],
				[
					"tbody",
					{},
					["tr", {}, ["td", {}, "1"], ["td", { class: "align-center" }, "2"], ["td", { class: "align-right" }, "3"]],
				],
			],
		],
	]);
});

test("headings start one level below the panel's own", () => {
	assert.deepEqual(draw("# One\n\n###### Six"), [
		["h2", { class: "heading-1" }, "One"],
		["h6", { class: "heading-6" }, "Six"],
	]);
});

test("a link shows where it leads unless its text says so already", () => {
	const shown = (url: string): Plain => ["span", { class: "link-target" }, ` (${url})`];
	assert.deepEqual(draw("[docs](https://a.b/c) https://a.b/d <http://a.b/e>"), [
		[
			"p",
			{},
			link("https://a.b/c", "docs"),
			shown("https://a.b/c"),
			" ",
			link("https://a.b/d", "https://a.b/d"),
			" ",
			link("http://a.b/e", "http://a.b/e"),
		],
	]);
	assert.deepEqual(draw("[https://bank.example](https://evil.example)"), [
		["p", {}, link("https://evil.example", "https://bank.example"), shown("https://evil.example")],
	]);
});

test("links of any other kind are left as plain text", () => {
	const sources = [
		"[a](javascript:b)",
		"[a](command:b)",
		"[a](file:///b)",
		"[a](b)",
		"[a](//b/c.md)",
		"<mailto:a@b.c>",
		"//a.b",
		"main.rs",
		`[a](https://b.c/${"x".repeat(4_096)})`,
	];
	assert.deepEqual(
		sources.map(draw),
		sources.map((source) => [["p", {}, source]]),
	);
});

test("images and HTML are shown as plain text", () => {
	assert.deepEqual(draw("<div>a</div>"), [["p", {}, "<div>a</div>"]]);
	assert.deepEqual(draw("![a cat](https://a.b/c.png) <b onclick=x>&amp;</b>"), [
		["p", {}, ["span", { class: "image-text" }, "Image: a cat (https://a.b/c.png)"], " <b onclick=x>&</b>"],
	]);
});

test("code carries its language and its actions, and is plain text if the language is unknown", () => {
	const button = (action: string, icon: string, title: string, label: string) => [
		"button",
		{ type: "button", class: "icon-button", "data-action": action, title, "aria-label": label },
		["span", { class: `codicon codicon-${icon}`, "aria-hidden": "true" }],
	];
	assert.deepEqual(draw("```klingon x=y\nbatlh <Daq>\n\ntaH\n```"), [
		[
			"div",
			{ class: "code" },
			[
				"div",
				{ class: "code-bar" },
				["span", { class: "code-language" }, "klingon"],
				[
					"span",
					{ class: "code-actions" },
					button("apply", "git-pull-request-go-to-changes", "Apply to File", "Apply code to file"),
					button("insert", "insert", "Insert at Cursor", "Insert code at cursor"),
					button("copy", "copy", "Copy", "Copy code"),
				],
			],
			["pre", { tabIndex: 0 }, ["code", {}, "batlh <Daq>\n\ntaH"]],
		],
	]);
});

test("the file that code is meant for is recognized in every form that models write", () => {
	const infos = ['ts title="src/a.ts"', "ts src/a.ts", "ts:src/a.ts", "ts file=a.ts"];
	assert.deepEqual(infos.map(readFileName), ["src/a.ts", "src/a.ts", "src/a.ts", "a.ts"]);
	assert.deepEqual(
		["ts", "", "klingon x=y", "a.ts", "ts ../../etc/passwd"].map(readFileName),
		Array(5).fill(undefined),
	);
});

test("footnotes are marks in the text and lines of their own below it", () => {
	const link = (class_: string, label: string) => ({ class: class_, role: "link", tabIndex: 0, "aria-label": label });
	const mark = (name: string) => {
		const way = { ...link("link", `Note ${name}`), "data-mark": name };
		return ["sup", { class: "footnote-mark" }, ["a", way, name]];
	};
	const note = (name: string) => {
		const back = link("footnote link", `Note ${name}, back to the text`);
		return ["a", { ...back, "data-note": name }, `${name}.`];
	};
	assert.deepEqual(draw("So[^1] it is[^b-2]."), [["p", {}, "So", mark("1"), " it is", mark("b-2"), "."]]);
	assert.deepEqual(draw("[^1]: One.\n[^2]: *Two*."), [
		["p", {}, note("1"), "One.\n", note("2"), ["em", {}, "Two"], "."],
	]);
	assert.deepEqual(draw("`a[^1]` and [^ 1]"), [["p", {}, ["code", { class: "code-inline" }, "a[^1]"], " and [^ 1]"]]);
});

test("text that is too long to format is shown as it was written, but code is always formatted", () => {
	const long = "*word* ".repeat(MAX_FORMATTED_CHARS);
	const many = "- a\n".repeat(MAX_FORMATTED_LINES + 1);
	assert.deepEqual([long, many].map(draw), [[["div", { class: "plain" }, long]], [["div", { class: "plain" }, many]]]);
	const [code] = draw(`\`\`\`\n${"x\n".repeat(MAX_FORMATTED_CHARS)}\`\`\``);
	assert.equal(code?.[0], "div");
	assert.deepEqual(code?.[1], { class: "code" });
});
