import type { ToWebview } from "../../media/wire.ts";

/** What a person, or the host, does next. */
export type Act =
	| { readonly do: "scroll"; readonly part: ".dock" | ".approvals" | ".long-part"; readonly by: number }
	| { readonly do: "click"; readonly on: string }
	| { readonly do: "key"; readonly key: "Enter" | "Backspace" | " "; readonly altKey: boolean }
	| { readonly do: "page"; readonly key: "PageDown" | "PageUp" | "Home" | "End" }
	| { readonly do: "wait"; readonly ms: number }
	| { readonly do: "tell"; readonly message: ToWebview };

/** An answer that the page has sent, and whether a look at each frame had found every line of its subject. */
export interface Answered {
	readonly approvalId: string;
	readonly decision: string;
	readonly lines: number;
	readonly unseen: number;
}

/**
 * Runs in the page: acts as a person can, who presses only what is in view, and after each act notes which lines of the
 * shown subject can be seen. It asks the browser what is on top at points of the window, and nothing of the page's own
 * bookkeeping.
 */
export async function actAndLook(json: string): Promise<readonly Answered[]> {
	const { acts, lineHeight }: { acts: readonly Act[]; lineHeight: number } = JSON.parse(json);
	const seen = new Map<string, Set<number>>();
	const answers: Answered[] = [];
	let width = window.innerWidth;
	const look = () => {
		const card = document.querySelector<HTMLElement>("[data-approval]");
		const part = card?.querySelector(".long-part");
		if (window.innerWidth !== width) seen.clear();
		width = window.innerWidth;
		if (!card || !part) return;
		const { left, right, top, bottom } = part.getBoundingClientRect();
		const lines = seen.get(card.dataset.approval ?? "") ?? new Set();
		seen.set(card.dataset.approval ?? "", lines);
		for (let y = Math.max(top, 0) + 1; y < Math.min(bottom, window.innerHeight); y += lineHeight / 3) {
			if (document.elementFromPoint((left + right) / 2, y)?.closest(".long-part") !== part) continue;
			lines.add(Math.floor((y - top + part.scrollTop) / lineHeight));
		}
	};
	const isOnTop = (element: Element) => {
		const { left, right, top, bottom } = element.getBoundingClientRect();
		return element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
	};
	const press = (element: Element) => {
		const init = { bubbles: true, cancelable: true };
		element.dispatchEvent(new PointerEvent("pointerdown", init));
		if (element instanceof HTMLElement) element.click();
	};
	const count = () => {
		const part = document.querySelector("[data-approval] .long-part");
		return part ? Math.floor((part.scrollHeight - 1) / lineHeight) : 0;
	};
	for (const act of acts) {
		const lines = count();
		if (act.do === "scroll") document.querySelector(act.part)?.scrollBy(0, act.by);
		if (act.do === "wait") await window.stub.pass(act.ms);
		if (act.do === "tell") window.dispatchEvent(new MessageEvent("message", { data: act.message }));
		if (act.do === "click") for (const on of document.querySelectorAll(act.on)) if (isOnTop(on)) press(on);
		if (act.do === "key") {
			const init = { key: act.key, altKey: act.altKey, bubbles: true, cancelable: true };
			const isTaken = !document.activeElement?.dispatchEvent(new KeyboardEvent("keydown", init));
			const { activeElement } = document;
			if (!isTaken && !act.altKey && activeElement instanceof HTMLButtonElement) activeElement.click();
		}
		if (act.do === "page") {
			const init = { key: act.key, bubbles: true, cancelable: true };
			document.querySelector("[data-decision=deny]")?.dispatchEvent(new KeyboardEvent("keydown", init));
		}
		// A scroll is drawn with the next frame, and what is drawn after it changes nothing that can be pressed.
		if (act.do === "scroll" || act.do === "page") await window.stub.nextFrame();
		else if (act.do !== "wait") await window.stub.settle();
		for (const message of window.stub.posted.splice(0)) {
			if (message.type !== "answerApproval") continue;
			const found = seen.get(message.approvalId) ?? new Set();
			const unseen = Array.from({ length: lines }, (_, line) => line).filter((line) => !found.has(line)).length;
			answers.push({ approvalId: message.approvalId, decision: message.decision, lines, unseen });
		}
		look();
	}
	return answers;
}
