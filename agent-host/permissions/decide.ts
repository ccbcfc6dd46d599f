import { relative, sep } from "node:path";
import type { Access, Policy, Verdict } from "./policy.ts";

const ALLOW: Verdict = { kind: "allow" };

/**
 * The one place where a call is allowed or not. It judges the path as written; that the path does not
 * lead elsewhere through a link is checked again where the file is opened.
 */
export function decide(access: Access, policy: Policy): Verdict {
	switch (access.kind) {
		case "none":
			return ALLOW;
		case "read":
			return decideRead(access.path, policy);
	}
}

export function isInside(path: string, folder: string): boolean {
	const way = relative(folder, path);
	return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsoluteWay(way));
}

function decideRead(path: string, policy: Policy): Verdict {
	if (policy.read.length === 0) {
		return { kind: "deny", reason: "No folder is open in the editor, so there are no files to read." };
	}
	if (policy.read.some((root) => isInside(path, root))) return ALLOW;
	return { kind: "deny", reason: `${path} is outside the workspace folders; only files below them can be read.` };
}

// On Windows the way between two drives is an absolute path.
function isAbsoluteWay(way: string): boolean {
	return /^[a-zA-Z]:/.test(way);
}
