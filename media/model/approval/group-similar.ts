import { sayNamed } from "../../../l10n/host-words.ts";
import type { Message } from "../../../l10n/t.ts";
import type { ApprovalEntry } from "../thread/entry.ts";
import { describeTarget } from "./approval-words.ts";

/** Larger patches are never grouped with others. */
const MANY_FILES = 20;

/** Approvals that one press may answer together; each still covers exactly what its card shows. */
export interface SimilarGroup {
	readonly kind: string;
	/** What they have in common: a fixed sentence, and the name to put into it. */
	readonly about: Message;
	readonly name: string;
	readonly members: readonly ApprovalEntry[];
}

/** Groups of two or more similar approvals, ordered by the first of each group. */
export function groupSimilar(entries: readonly ApprovalEntry[]): readonly SimilarGroup[] {
	// One press never answers two agents.
	const byKind = Map.groupBy(entries, (entry) => {
		const kind = similarityKey(entry);
		return kind && `${entry.request.threadId} ${kind}`;
	});
	return [...byKind].flatMap(([kind, members]) => {
		const [first] = members;
		if (kind === undefined || first === undefined || members.length < 2) return [];
		return [{ kind, ...describe(first), members }];
	});
}

/**
 * Approvals are similar if they have the same reason and are all commands with the same containment, plain edits in the
 * workspace, or connections to one address. Anything that leaves the sandbox or has none, deletes or replaces files, changes many
 * files, or touches protected files or files outside the workspace is never grouped.
 */
export function similarityKey({
	request,
	workspace,
}: Pick<ApprovalEntry, "request" | "workspace">): string | undefined {
	const { subject, reason, choices } = request;
	if (!choices.includes("allow")) return undefined;
	switch (subject.kind) {
		case "command": {
			if (subject.escalated || subject.containment !== undefined || subject.deletes !== undefined) return undefined;
			if (subject.input !== undefined || subject.inputOpenMs !== undefined) return undefined;
			return JSON.stringify(["command", reason, subject.sandbox, subject.policyDigest, subject.network]);
		}
		case "patch": {
			if (subject.whole !== undefined) return undefined;
			const isPlain = subject.files.every(
				(file) =>
					(file.operation === "add" || file.operation === "update") &&
					file.overwrites !== true &&
					describeTarget(file, workspace).alarms.length === 0,
			);
			return isPlain && subject.files.length <= MANY_FILES ? JSON.stringify(["patch", reason]) : undefined;
		}
		case "permission":
			return JSON.stringify(["permission", reason, subject.read]);
		case "network":
			return JSON.stringify(["network", reason, subject.host, subject.port]);
		// Each call may do something else.
		case "serverTool":
		case "editorTool":
		case "customizations":
			return undefined;
	}
}

function describe({ request: { subject } }: ApprovalEntry): Pick<SimilarGroup, "about" | "name"> {
	switch (subject.kind) {
		case "command":
			return { about: "commands in the sandbox “{0}”", name: sayNamed(subject.sandbox, subject.sandboxSaid) };
		case "patch":
			return { about: "edits in the workspace", name: "" };
		case "permission":
			return { about: "reading {0}", name: subject.read.join(", ") };
		case "network":
			return { about: "connections to {0}", name: `${subject.host}:${subject.port}` };
		case "serverTool":
			return { about: "calls to {0}", name: subject.server };
		case "editorTool":
			return { about: "calls to {0}", name: subject.tool };
		case "customizations":
			return { about: "customizations of the workspace", name: "" };
	}
}
