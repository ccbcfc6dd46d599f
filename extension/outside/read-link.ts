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
			return { kind: "prefill", text: cleanPrefill(given.get("text")) };
		default:
			throw new Error(t("Vitrine links only open a thread or fill in a prompt."));
	}
}
