import { type ComponentChildren, Fragment, h, isValidElement, type VNode } from "preact";
import { t } from "../../../l10n/t.ts";
import type { FileLink } from "../../model/markdown/markdown-parser.ts";
import { showPath } from "../../model/words/invisible.ts";

/**
 * A link without href: the page asks the extension to open it, so nothing can navigate. The target is always readable,
 * so the text cannot pretend to be another URL.
 */
export function renderLink(url: string, children: ComponentChildren[]): ComponentChildren {
	const link = h("a", { class: "link", role: "link", tabIndex: 0, title: url, "data-link": url }, ...children);
	if (plainText(children) === url) return link;
	return h(Fragment, null, link, h("span", { class: "link-target" }, ` (${url})`));
}

/** A link to a file of the workspace; where it leads is always readable. */
export function renderFileLink({ path, line }: FileLink, children: ComponentChildren[]): ComponentChildren {
	const target = showPath(line === undefined ? path : `${path}:${line}`);
	const place = { "data-file": path, ...(line === undefined ? {} : { "data-line": line }) };
	const link = h(
		"a",
		{ class: "link", role: "link", tabIndex: 0, title: t("Open {0}", target), ...place },
		...children,
	);
	if ([path, target].includes(plainText(children))) return link;
	return h(Fragment, null, link, h("span", { class: "link-target" }, ` (${target})`));
}

/** A path in code style: with a folder or with a line number, so that not every word in code style counts as a file. */
const FILE = /^((?:[\w@.-]+\/)+[\w@.-]+\.\w+|[\w@-][\w@.-]*\.\w+(?=:\d))(?::(\d{1,7}))?(?::\d+)?$/;

/** A file name as a link; the extension opens only files in the workspace. */
export function renderFileName(text: string, tag: "code" | "span" = "code"): ComponentChildren | undefined {
	const [, path, line] = FILE.exec(text) ?? [];
	if (path === undefined) return undefined;
	const place = { "data-file": path, ...(line === undefined ? {} : { "data-line": line }) };
	const title = t("Open {0}", text);
	return h(
		tag,
		{ class: tag === "code" ? "code-inline link" : "link", role: "link", tabIndex: 0, title, ...place },
		text,
	);
}

function plainText(children: ComponentChildren): string {
	if (Array.isArray(children)) return children.map(plainText).join("");
	if (isValidElement(children)) return plainText((children as VNode).props.children);
	return typeof children === "string" ? children : "";
}
