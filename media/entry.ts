import type { Item, ThreadEvent, TurnError } from "../agent-host/protocol/events.ts";

/** A text that arrives in pieces: still growing, whole, or left unfinished for good. */
export type TextState = "streaming" | "done" | "cut";

export type ToolState = Extract<Item, { readonly kind: "toolCall" }>["status"];

type OfTurn = { readonly key: string; readonly turnId: string };
type OfItem = OfTurn & { readonly itemId: string };

export type MessageEntry = OfItem & {
	readonly kind: "agentMessage" | "reasoning";
	readonly text: string;
	readonly state: TextState;
};

export type UserEntry = OfItem & {
	readonly kind: "userMessage";
	/** `plain`, or the kind of the fragment that the host spoke with the user's voice. */
	readonly messageKind: string;
	readonly text: string;
};

export type ToolEntry = OfItem & {
	readonly kind: "toolCall";
	readonly name: string;
	readonly arguments: string;
	readonly title: string;
	readonly status: ToolState;
	readonly output: string;
};

export type NoticeEntry = OfItem & {
	readonly kind: "notice";
	readonly level: "info" | "warning";
	readonly text: string;
};

export type ContextEntry = OfTurn & {
	readonly kind: "context";
	readonly fragments: Extract<ThreadEvent, { readonly type: "contextUpdated" }>["fragments"];
};

export type WarningEntry = OfTurn & { readonly kind: "warning"; readonly code: string; readonly text: string };

export type TurnEndEntry = OfTurn & {
	readonly kind: "turnEnd";
	readonly status: "interrupted" | "failed";
	readonly error: TurnError | undefined;
};

/** One thing the reader can see in a thread. The kinds are also the page's `data-kind`. */
export type Entry = UserEntry | MessageEntry | ToolEntry | NoticeEntry | ContextEntry | WarningEntry | TurnEndEntry;

/** How an item looks when it begins (`streaming`) or when it is whole (`done`). */
export function entryOfItem(item: Item, turnId: string, state: "streaming" | "done"): Entry {
	const base = { key: item.id, turnId, itemId: item.id };
	switch (item.kind) {
		case "userMessage":
			return { ...base, kind: item.kind, messageKind: item.messageKind, text: item.text };
		case "agentMessage":
		case "reasoning":
			return { ...base, kind: item.kind, text: item.text, state: item.cut ? "cut" : state };
		case "toolCall": {
			const { kind, name, arguments: json, title, status, output = "" } = item;
			return { ...base, kind, name, arguments: json, title, status, output };
		}
		case "notice":
			return { ...base, kind: item.kind, level: item.level, text: item.text };
	}
}

/** What is left of an entry when its turn ended without finishing it. */
export function cutEntry(entry: Entry, text: string | undefined): Entry {
	if (entry.kind === "toolCall" && entry.status === "running") return { ...entry, status: "interrupted" };
	if ((entry.kind === "agentMessage" || entry.kind === "reasoning") && entry.state === "streaming") {
		return { ...entry, text: text ?? entry.text, state: "cut" };
	}
	return entry;
}
