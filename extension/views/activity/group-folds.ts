import type * as vscode from "vscode";

/** Which groups of the Activity view the user has opened or closed. */
export interface GroupFolds {
	/** Undefined for a group that the user has left as it was. */
	readonly isOpen: (group: string) => boolean | undefined;
	readonly note: (group: string, isOpen: boolean) => void;
}

const KEY = "vitrine.activityFolds";
/** Decisions are a group of each thread. */
const MAX_KEPT = 100;

/** The editor forgets it while a group is empty, as after the host was killed, and when the window is loaded again. */
export function createGroupFolds(memory: Pick<vscode.Memento, "get" | "update">): GroupFolds {
	const known = new Map<string, boolean>(memory.get<[string, boolean][]>(KEY, []));
	return {
		isOpen: (group) => known.get(group),
		note: (group, isOpen) => {
			known.delete(group);
			known.set(group, isOpen);
			for (const oldest of known.keys()) if (known.size > MAX_KEPT) known.delete(oldest);
			void memory.update(KEY, [...known]);
		},
	};
}
