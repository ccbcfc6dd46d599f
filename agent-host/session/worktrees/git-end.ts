import { HostError } from "../../protocol/errors.ts";
import { type Said, say } from "../../protocol/say.ts";

/** How a Git call ended. */
export interface GitEnd {
	readonly exitCode: number;
	readonly stdout: string;
	/** What Git said about it, in one line. */
	readonly complaint: string;
}

export function isEnd(value: unknown): value is GitEnd {
	return typeof value === "object" && value !== null && "exitCode" in value;
}

export function refuse(said: Said): HostError {
	return new HostError("input-refused", said);
}

/** The output of a call that must have succeeded: what could not be checked is not assumed. */
export function must(end: GitEnd): string {
	if (end.exitCode !== 0) throw refuse(say("worktree-git", { reason: end.complaint }));
	return end.stdout;
}
