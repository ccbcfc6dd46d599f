import { basename } from "node:path";
import type { Policy } from "../../permissions/policy/policy.ts";
import { runsWithBuild } from "../../permissions/resolve/build-names.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import { hashNow, readFileState } from "../../workspace/apply/file-state.ts";
import type { OpenDocuments } from "../../workspace/apply/open-documents.ts";
import { listTouched } from "../changes/pending-files.ts";

/** Why the editor may not open a file, or list its tasks, for the model; undefined if it may. */
export type RefuseOpening = (path?: string) => Promise<string | undefined>;

/**
 * Extensions that begin to work on a file run what its project configures, outside the sandbox: a linter its
 * configuration, a build its scripts. Nothing that the agent has written there is run before the user has reviewed it.
 */
export function createRefuseOpening(options: {
	/** All threads of this host: their files are the same. */
	readonly states: () => readonly Pick<ThreadState, "touches" | "reviews">[];
	readonly policy: Pick<Policy, "mode" | "folders">;
	readonly documents: OpenDocuments;
}): RefuseOpening {
	const { states, policy, documents } = options;
	return async (path) => {
		if (policy.mode === "full" || (path !== undefined && documents.textOf(path) !== undefined)) return undefined;
		const touched = states().flatMap(listTouched);
		for (const file of touched.filter((one) => runsWithBuild(one.path, policy.folders))) {
			const now = await readFileState(file.path, documents);
			if (now.state === "unreadable" || hashNow(now) !== file.start.base)
				return `${basename(file.path)} can run with the build, and the user has not reviewed your change of it. Until then the editor opens no other files for you; read or search them instead.`;
		}
		return undefined;
	};
}
