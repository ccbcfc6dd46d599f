import { resolve } from "node:path";
import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { mayRead } from "../../permissions/reach/reach.ts";
import { HostError } from "../../protocol/errors.ts";
import { say } from "../../protocol/say.ts";
import type { UserInput } from "../../protocol/thread/turn.ts";
import { resolveInside } from "../../workspace/files/read-files.ts";
import { withRealPaths } from "../../workspace/files/readable.ts";

/** Refuses a turn that would show the model text of a closed file, such as a selection in `.env`. */
export async function refuseClosedTexts(
	input: readonly UserInput[],
	{ workspace, policy }: Pick<TurnEnvelope, "workspace" | "policy">,
): Promise<void> {
	const paths = new Set(input.flatMap(pathsOfTexts));
	if (paths.size === 0) return;
	const real = withRealPaths(policy.value);
	for (const path of paths) {
		const place = resolve(workspace.cwd ?? "/", path);
		const lies = await resolveInside(place, (where) => mayRead(real, where));
		// A file that is not on disk yet is at the path it states.
		if (mayRead(real, place) && (lies.ok || lies.missing)) continue;
		throw new HostError("input-refused", say("attached-text-closed", { path }));
	}
}

function pathsOfTexts(part: UserInput): readonly string[] {
	if (part.kind === "selection") return [part.path];
	return part.kind === "problems" ? part.problems.map(({ path }) => path) : [];
}
