import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { t } from "../../l10n/t.ts";
import { cleanPrefill } from "./prefill-text.ts";

/** What a link may do: show a thread or fill the composer. It never sends anything and never changes a setting. */
export type LinkedAction =
	| { readonly kind: "open"; readonly threadId: ThreadId }
	| { readonly kind: "prefill"; readonly text: string };

/** Reads `/open?thread=ID` and `/prefill?text=TEXT`; throws a sentence for the user about anything else. */
export function readLink({ path, query }: { readonly path: string; readonly query: string }): LinkedAction {
	const given = new URLSearchParams(query);
	switch (path) {
		case "/open": {
			const { data } = ThreadId.safeParse(given.get("thread"));
			if (data === undefined) throw new Error(t("The link names no thread."));
			return { kind: "open", threadId: data };
		}
		case "/prefill":
			return { kind: "prefill", text: cleanPrefill(readText(query)) };
		default:
			throw new Error(t("Vitrine links only open a thread or fill in a prompt."));
	}
}

/**
 * The editor hands a query over with its escapes decoded, so an `&` or `+` of the text looks like one of the link: the text
 * goes on to the end, and its spaces tell that they were not written as `+`.
 */
function readText(query: string): string | null {
	const [, text] = /(?:^|&)text=(.*)$/s.exec(query) ?? [];
	if (text === undefined || text.includes(" ")) return text ?? null;
	return new URLSearchParams(`text=${text.replaceAll("&", "%26")}`).get("text");
}
