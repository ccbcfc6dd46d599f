import { type ComponentChildren, Fragment, h, isValidElement, type VNode } from "preact";
import { t } from "../../../l10n/t.ts";

/**
 * A link without an address: the page asks the extension to open it, so nothing can navigate by itself.
 * Where it leads is always readable, so a text cannot pretend to be another address.
 */
export function renderLink(url: string, children: ComponentChildren[]): ComponentChildren {
	const link = h("a", { class: "link", role: "link", tabIndex: 0, title: url, "data-link": url }, ...children);
	if (plainText(children) === url) return link;
	return h(Fragment, null, link, h("span", { class: "link-target" }, ` (${url})`));
}

/** A path as an answer names it: one of a folder, or with a line, so that not every word in code style is one. */
const FILE = /^((?:[\w@.-]+\/)+[\w@.-]+\.\w+|[\w@-][\w@.-]*\.\w+(?=:\d))(?::(\d{1,7}))?(?::\d+)?$/;

/** Code that names a file, as a way to that file; the extension opens only what lies in the workspace. */
export function renderFileName(text: string): ComponentChildren | undefined {
	const [, path, line] = FILE.exec(text) ?? [];
	if (path === undefined) return undefined;
	const place = { "data-file": path, ...(line === undefined ? {} : { "data-line": line }) };
	const title = t("Open {0}", text);
	return h("code", { class: "code-inline link", role: "link", tabIndex: 0, title, ...place }, text);
}

function plainText(children: ComponentChildren): string {
	if (Array.isArray(children)) return children.map(plainText).join("");
	if (isValidElement(children)) return plainText((children as VNode).props.children);
	return typeof children === "string" ? children : "";
}
