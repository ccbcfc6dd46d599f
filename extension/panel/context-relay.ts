import * as vscode from "vscode";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import type { UserInput } from "../../agent-host/protocol/thread/turn.ts";
import { t } from "../../l10n/t.ts";
import type { FromWebview, ToWebview } from "../../media/wire.ts";
import { offerDroppedFiles, offerDroppedText } from "../attach/dropped-files.ts";
import { readEditorOffers, watchEditor } from "../attach/editor-state.ts";
import { findMentions } from "../attach/find-mentions.ts";
import { createOffers, type Offer } from "../attach/offer.ts";
import { describeFailure } from "../host/call.ts";
import type { HostClient } from "../host/host-client.ts";
import { createNewestRequest } from "../host/newest-request.ts";

/** Attachments: what the composer offers, and reading it when a prompt is sent. */
export interface ContextRelay extends vscode.Disposable {
	/** Sends the editor's chips to the page. */
	readonly showEditor: () => void;
	readonly find: (request: Extract<FromWebview, { readonly type: "findMentions" }>) => Promise<void>;
	/** Attaches dropped files or text, if allowed. */
	readonly attachDropped: (
		given: Extract<FromWebview, { readonly type: "attachFiles" | "attachText" }>,
	) => Promise<void>;
	/** Attaches these to the next prompt. */
	readonly attach: (offers: readonly Offer[]) => void;
	/** Message that puts a text and attachments into the composer. */
	readonly compose: (text: string, offers: readonly Offer[], how: "send" | "write") => ToWebview;
	/** Reads the attachments with these keys now. */
	readonly read: (keys: readonly string[]) => Promise<readonly UserInput[]>;
}

export function createContextRelay(options: {
	readonly host: HostClient;
	readonly post: (message: ToWebview) => void;
	readonly threadId: () => ThreadId | undefined;
}): ContextRelay {
	const { host, post, threadId } = options;
	const offers = createOffers();
	const newest = createNewestRequest(() => new vscode.CancellationTokenSource());
	const showEditor = (): void => {
		const found = readEditorOffers();
		const chips = offers.make(found.map(({ offer }) => offer));
		post({ type: "editorChips", chips: chips.map((chip, index) => ({ ...chip, isOn: found[index]?.isOn ?? false })) });
	};
	const compose: ContextRelay["compose"] = (text, chosen, how) => {
		return { type: "compose", text, attach: offers.make(chosen), how };
	};
	const attach = (chosen: readonly Offer[]): void => {
		if (chosen.length > 0) post(compose("", chosen, "write"));
	};
	const watch = watchEditor(showEditor);
	return {
		showEditor,
		find: async ({ id, query }) => {
			const token = newest.begin();
			try {
				for await (const { mentions, ...rest } of findMentions(host, threadId(), query, token)) {
					const known = offers.make(mentions);
					const shown = mentions.map(({ name, detail }, index) => ({ ...attachable(known, index), name, detail }));
					if (!token.isCancellationRequested) post({ type: "mentions", id, mentions: shown, ...rest });
				}
			} catch (error) {
				if (token.isCancellationRequested) return;
				post({ type: "mentions", id, mentions: [], isWhole: true });
				post({
					type: "problem",
					message: t("Couldn't search for context: {0}", describeFailure(error)),
					action: "showLog",
				});
			}
		},
		attachDropped: async (given) => {
			const { offers: chosen, problem } =
				given.type === "attachFiles"
					? await offerDroppedFiles(given.uris)
					: { offers: [offerDroppedText(given.name, given.text)], problem: undefined };
			attach(chosen);
			if (problem !== undefined) post({ type: "problem", message: problem });
		},
		attach,
		compose,
		read: offers.read,
		dispose: () => {
			newest.end();
			watch.dispose();
		},
	};
}

function attachable<T>(known: readonly T[], index: number): T {
	const found = known[index];
	if (found === undefined) throw new Error("An offer was not remembered.");
	return found;
}
