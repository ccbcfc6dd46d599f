import type { OpenFolder } from "./folder-port.ts";
import { openHeldFolder } from "./held-folder.ts";
import type { Journal, JournalEntry } from "./journal.ts";
import { createHolder } from "./place.ts";
import { settle } from "./settle.ts";

/** A patch that a crash had interrupted, and its outcome. */
export type Recovered = {
	readonly files: readonly string[];
} & (
	| {
			/** All files are as the patch wants them, or all as they were before it. */
			readonly became: "after" | "before";
			/** Files that were changed since the crash; they were not touched. */
			readonly left: readonly string[];
	  }
	| { readonly became: "unsettled"; readonly reason: string }
);

/** One sentence for the user. */
export function describeRecovered(recovered: Recovered): string {
	const files = recovered.files.join(", ");
	switch (recovered.became) {
		case "after":
			return `An interrupted patch was completed: ${files}.`;
		case "before":
			return `An interrupted patch was undone: ${files}.`;
		case "unsettled":
			return `An interrupted patch could not be completed or undone (${recovered.reason}): ${files}.`;
	}
}

/** Finishes or undoes what a crash interrupted. No other process may apply a patch with this journal meanwhile. */
export async function recoverPatches(
	journal: Journal,
	openFolder: OpenFolder = openHeldFolder,
): Promise<readonly Recovered[]> {
	const recovered: Recovered[] = [];
	const { entries, unreadable } = await journal.unfinished();
	for (const entry of entries) recovered.push(await recoverOne(entry, journal, openFolder));
	for (const plan of unreadable)
		recovered.push({ files: [plan], became: "unsettled", reason: "its plan in the journal is damaged" });
	return recovered;
}

async function recoverOne(entry: JournalEntry, journal: Journal, openFolder: OpenFolder): Promise<Recovered> {
	const files = entry.plan.steps.map(({ folder, name }) => `${folder}/${name}`);
	const holder = createHolder(openFolder);
	const openFolderOf = (root: string, folder: string) =>
		holder.hold(root, folder).catch((error: NodeJS.ErrnoException) => {
			// If the folder was removed, so were the files in it.
			if (error.code === "ENOENT") return undefined;
			throw error;
		});
	try {
		const left = await settle(entry, openFolderOf, journal);
		return { files, became: entry.state === "committed" ? "after" : "before", left };
	} catch (error) {
		// Kept in the journal: the next start tries again.
		return { files, became: "unsettled", reason: String(error instanceof Error ? error.message : error) };
	} finally {
		await holder.close();
	}
}
