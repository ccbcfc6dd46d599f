import type { TurnId } from "../../protocol/ids.ts";
import type { Touch } from "../../store/records/thread-state.ts";
import type { Draft } from "./live-thread.ts";

/** Limit for the paths reported per turn. */
const MAX_NAMED = 100;

/** Reports which files a turn has changed; nothing if there are none. */
export function filesChangedRecords(
	touches: readonly Touch[],
	turnId: TurnId,
	runsWithBuild: (path: string) => boolean,
): readonly Draft[] {
	const touched = touches.filter((touch) => touch.turnId === turnId);
	// One that was created and removed again, or changed and changed back, is as it was.
	const paths = [...Map.groupBy(touched, ({ path }) => path)].flatMap(([path, own]) =>
		own[0]?.before === own.at(-1)?.after ? [] : [path],
	);
	if (paths.length === 0) return [];
	// From all paths, so that none is lost among many others.
	const marked = paths.filter(runsWithBuild).slice(0, MAX_NAMED);
	const named = { files: paths.length, paths: paths.slice(0, MAX_NAMED) };
	const event = { type: "filesChanged", turnId, ...named, ...(marked.length > 0 && { runWithBuild: marked }) } as const;
	return [{ kind: "event", event }];
}
