import * as vscode from "vscode";
import type { ReviewedFile } from "../../agent-host/protocol/thread/review.ts";
import type { PanelState } from "../../media/wire.ts";
import { fileUri } from "../facts/file-uri.ts";

/** Number of files that are sent to the panel; the others are counted. */
const MAX_LISTED = 50;

/** Pending changes, as the panel lists them. */
export function describeChanges(files: readonly ReviewedFile[]): PanelState["changes"] {
	if (files.length === 0) return undefined;
	const nameOf = (path: string): string => vscode.workspace.asRelativePath(fileUri(path));
	return {
		files: files.length,
		hunks: files.reduce((sum, { hunks }) => sum + Math.max(1, hunks.length), 0),
		runWithBuild: files.filter((file) => file.runsWithBuild).map(({ path }) => nameOf(path)),
		list: files.slice(0, MAX_LISTED).map(({ path, operation, hunks }) => ({
			path,
			name: nameOf(path),
			operation,
			added: hunks.reduce((sum, { added }) => sum + added.length, 0),
			removed: hunks.reduce((sum, { removed }) => sum + removed.length, 0),
		})),
	};
}
