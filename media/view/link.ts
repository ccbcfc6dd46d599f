import { type ComponentChildren, Fragment, h, isValidElement, type VNode } from "preact";

/**
 * A link without an address: the page asks the extension to open it, so nothing can navigate by itself.
 * Where it leads is always readable, so a text cannot pretend to be another address.
 */
export function renderLink(url: string, children: ComponentChildren[]): ComponentChildren {
	const link = h("a", { class: "link", role: "link", tabIndex: 0, title: url, "data-link": url }, ...children);
	if (plainText(children) === url) return link;
	return h(Fragment, null, link, h("span", { class: "link-target" }, ` (${url})`));
}

function plainText(children: ComponentChildren): string {
	if (Array.isArray(children)) return children.map(plainText).join("");
	if (isValidElement(children)) return plainText((children as VNode).props.children);
	return typeof children === "string" ? children : "";
}
