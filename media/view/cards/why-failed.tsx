import { showInvisible } from "../../model/words/invisible.ts";
import { cutHead } from "../../model/words/text.ts";
import { usePage } from "../parts/page-context.ts";

const SHOWN = { lines: 3, chars: 400 };

/** Why something failed, without opening its row. */
export function WhyFailed({ id, text }: { readonly id: string; readonly text: string }) {
	const page = usePage();
	if (text === "" || page.openFolds.value.has(id)) return null;
	const head = cutHead(text, SHOWN);
	return <p class="plain quiet why-failed">{showInvisible(head.length < text.length ? `${head}…` : head)}</p>;
}
