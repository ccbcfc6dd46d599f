import type { Patch } from "../../patch/grammar.ts";
import { findPathProblem, resolvePath } from "../../patch/path.ts";
import type { EditTarget } from "../../permissions/policy/policy.ts";
import type { PatchTargets } from "../../tools/tool-ports.ts";
import { findRealPath } from "../files/real-path.ts";
import { createHolder, findPlace, type Place } from "./place.ts";
import { identifyTargets, listRoles, type VerifyOptions } from "./verify.ts";

/** The real paths of a patch's files, so that they can be judged before one of them is read. */
export async function resolveTargets(patch: Patch, options: VerifyOptions): Promise<PatchTargets> {
	const holder = createHolder(options.openFolder);
	const places = new Map<string, Place>();
	const files: EditTarget[] = [];
	const mayTell = options.writable.mayTell ?? (() => true);
	try {
		for (const { path, as } of patch.operations.flatMap(listRoles)) {
			const malformed = findPathProblem(path);
			if (malformed !== undefined) return refuse(path, `is not a valid path: ${malformed}.`);
			const absolute = resolvePath(options.cwd, path);
			const place = await findPlace(absolute, options.writable, holder);
			if ("refusal" in place) {
				if (place.closed || mayTell(place.resolved)) return refuse(path, place.refusal);
				// Its problems are reported after the approval.
				files.push({ path, ...describeLinks(place.resolved, absolute), overwrites: false, deletes: as === "delete" });
				continue;
			}
			places.set(path, place);
			const overwrites = place.entry !== undefined && (as === "add" || as === "moveTo");
			files.push({ path, ...describeLinks(place.resolved, absolute), overwrites, deletes: as === "delete" });
		}
		return { ok: true, files, targets: identifyTargets(patch, (path) => places.get(path)) };
	} finally {
		await holder.close();
	}
}

function describeLinks(resolved: string, absolute: string): Pick<EditTarget, "resolved" | "via"> {
	return { resolved, via: resolved === absolute ? [] : [absolute, ...findRealPath(absolute).via] };
}

function refuse(path: string, reason: string): PatchTargets {
	return { ok: false, path, reason: `${path} ${reason}` };
}
