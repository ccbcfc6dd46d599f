import type * as vscode from "vscode";
import * as z from "zod";
import { ThreadId } from "../../agent-host/protocol/ids.ts";

/** In the memory that all windows share. */
const KEY = "vitrine.handedThread";
/** A window that opens later was not opened for it. */
const MAX_AGE_MS = 60_000;

const Handed = z.object({ threadId: ThreadId, folder: z.string(), at: z.number() });

/** Leaves a thread for the window that is about to open this folder. */
export function handThread(
	memory: vscode.Memento,
	handed: { readonly threadId: ThreadId; readonly folder: string },
): Thenable<void> {
	return memory.update(KEY, { ...handed, at: Date.now() });
}

/** The thread that another window has left for this one, once. */
export function takeHandedThread(memory: vscode.Memento, folders: readonly string[]): ThreadId | undefined {
	const { data } = Handed.safeParse(memory.get(KEY));
	if (data === undefined || !folders.includes(data.folder)) return undefined;
	void memory.update(KEY, undefined);
	return Date.now() - data.at < MAX_AGE_MS ? data.threadId : undefined;
}
