import * as vscode from "vscode";
import type { ThreadId } from "../../../agent-host/protocol/ids.ts";
import { isCall } from "../../../agent-host/protocol/thread/item.ts";
import { threadRead } from "../../../agent-host/protocol/thread/thread.ts";
import { t } from "../../../l10n/t.ts";
import type { HostClient, ThreadEventParams } from "../../host/host-client.ts";
import { readEvents } from "../thread-feed.ts";
import { keepTextAndColours } from "./terminal-text.ts";

/** Longest name in the list of terminals. */
const MAX_NAME_CHARS = 40;

/** Shows and follows the output of a command in a read-only terminal. */
export async function showInTerminal(host: HostClient, threadId: ThreadId, itemId: string): Promise<void> {
	const written = new vscode.EventEmitter<string>();
	const missed: ThreadEventParams[] = [];
	let length: number | undefined;
	const receive = ({ threadId: of, event }: ThreadEventParams): void => {
		if (of !== threadId || event.type !== "itemDelta" || event.itemId !== itemId) return;
		if (length === undefined) {
			missed.push({ threadId: of, at: 0, event });
			return;
		}
		const { offset, text } = event;
		// Repeated output is not written again; a gap leaves a mark.
		const fresh = offset > length ? `\n…\n${text}` : text.slice(length - offset);
		written.fire(keepTextAndColours(fresh));
		length = Math.max(length, offset + text.length);
	};
	// Subscribed before the records are read, so that nothing is lost in between.
	const following = host.onThreadEvent(receive);
	const pty: vscode.Pseudoterminal = {
		onDidWrite: written.event,
		open: () => {
			written.fire(keepTextAndColours(shown));
			length = shown.length;
			for (const event of missed.splice(0)) receive(event);
		},
		close: () => following.dispose(),
	};
	const found = await findCall(host, threadId, itemId).catch((error: unknown) => {
		following.dispose();
		throw error;
	});
	const shown = found.output;
	vscode.window
		.createTerminal({ name: found.title.slice(0, MAX_NAME_CHARS), pty, iconPath: new vscode.ThemeIcon("output") })
		.show();
}

async function findCall(
	host: HostClient,
	threadId: ThreadId,
	itemId: string,
): Promise<{ readonly title: string; readonly output: string }> {
	const events = await readEvents(host, threadId);
	const call = events
		.map(({ event }) => event)
		.findLast((event) => "item" in event && isCall(event.item) && event.item.id === itemId);
	if (call === undefined || !("item" in call) || !isCall(call.item)) {
		throw new Error(t("That command is no longer available."));
	}
	const { live, others = [] } = await host.request(threadRead, { threadId, after: events.length, limit: 1 });
	const growing = [...(live ? [live] : []), ...others].find((text) => text.itemId === itemId);
	const { title, output = "", command } = call.item;
	return { title, output: growing?.text ?? output.slice(command?.outputFrom ?? 0) };
}
