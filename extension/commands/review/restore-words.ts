import type { ResultOf } from "../../../agent-host/protocol/method.ts";
import type { threadRestore } from "../../../agent-host/protocol/thread/review.ts";
import { countOf, type Message, t } from "../../../l10n/t.ts";

/** Number of files to name before the rest is counted. */
const MAX_NAMES = 8;

/** Describes what a restore would do, before the user decides. */
export function describeRestore(
	{ files, turns, returned, agents }: Pick<ResultOf<typeof threadRestore>, "files" | "turns" | "returned" | "agents">,
	nameOf: (path: string) => string,
): string {
	const list = (title: Message, wanted: (file: (typeof files)[number]) => boolean): readonly string[] => {
		const names = files.filter(wanted).map(({ path }) => nameOf(path));
		if (names.length === 0) return [];
		const shown = names.slice(0, MAX_NAMES).join(", ");
		const more = names.length - MAX_NAMES;
		return [t(title, more > 0 ? t("{0} and {1} more", shown, more) : shown)];
	};
	const isDone = (becomes: string) => (file: (typeof files)[number]) =>
		file.state === "restored" && file.becomes === becomes;
	return [
		...list("Will be reverted: {0}", isDone("changed")),
		...list("Will be recreated: {0}", isDone("created")),
		...list("Will be deleted: {0}", isDone("deleted")),
		...list("Changed since, not touched: {0}", ({ state }) => state === "conflict"),
		...list("Can't be restored: {0}", ({ state }) => state === "left"),
		...(agents.length > 0 ? [describeAgentsLeft(agents)] : []),
		...(returned > 0
			? [countOf(returned, "{0} turn will return to the conversation.", "{0} turns will return to the conversation.")]
			: []),
		...(turns > 0
			? [
					countOf(
						turns,
						"{0} turn will be removed from the conversation.",
						"{0} turns will be removed from the conversation.",
					),
				]
			: []),
	].join("\n");
}

/** Sub-agents whose threads are gone, or open in another window. */
export function describeAgentsLeft(agents: readonly string[]): string {
	return t("Can't restore files changed by these sub-agents: {0}", agents.join(", "));
}
