import type { Page } from "../../model/page.ts";

/** How long a copy button shows that it has copied. */
const COPIED_MS = 1_200;

/** Does what a link, a file name or a button of code in the model's text is for. */
export function actOnText(page: Pick<Page, "post" | "copy">, { target }: Event): void {
	const pressed = target instanceof Element ? target : null;
	const url = pressed?.closest<HTMLElement>("[data-link]")?.dataset.link;
	if (url !== undefined) page.post({ type: "openLink", url });
	const { file, line } = pressed?.closest<HTMLElement>("[data-file]")?.dataset ?? {};
	if (file !== undefined) {
		page.post({ type: "openFile", path: file, ...(line === undefined ? {} : { line: Number(line) }) });
	}
	const button = pressed?.closest<HTMLElement>("[data-action]");
	const block = button?.closest<HTMLElement>(".code");
	const code = block?.querySelector("code")?.textContent;
	if (!button || code === undefined) return;
	if (button.dataset.action === "insert") page.post({ type: "insertCode", text: code });
	if (button.dataset.action === "apply") {
		page.post({ type: "applyCode", text: code, ...(block?.dataset.path && { path: block.dataset.path }) });
	}
	if (button.dataset.action !== "copy") return;
	page.copy(code);
	button.classList.add("copied");
	setTimeout(() => button.classList.remove("copied"), COPIED_MS);
}

/** Whether a key opens a link that is not an `a` element, for which the browser does nothing on its own. */
export function pressesLink({ target, key }: KeyboardEvent): boolean {
	return key === "Enter" && target instanceof HTMLElement && target.getAttribute("role") === "link";
}
