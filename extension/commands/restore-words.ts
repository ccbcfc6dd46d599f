import type { ResultOf } from "../../agent-host/protocol/method.ts";
import type { threadRestore } from "../../agent-host/protocol/review.ts";

/** Names of one kind that are listed before the rest is only counted. */
const MAX_NAMES = 8;

/** What a restore would do, as a person reads it before they decide. */
export function restoreWords(
	{ files, turns }: Pick<ResultOf<typeof threadRestore>, "files" | "turns">,
	nameOf: (path: string) => string,
): string {
	const list = (title: string, wanted: (file: (typeof files)[number]) => boolean): readonly string[] => {
		const names = files.filter(wanted).map(({ path }) => nameOf(path));
		if (names.length === 0) return [];
		const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
		return [`${title}: ${names.slice(0, MAX_NAMES).join(", ")}${more}.`];
	};
	const isDone = (becomes: string) => (file: (typeof files)[number]) =>
		file.state === "restored" && file.becomes === becomes;
	return [
		...list("Goes back", isDone("changed")),
		...list("Comes back", isDone("created")),
		...list("Is deleted", isDone("deleted")),
		...list("Changed by somebody else since, so left as it is", ({ state }) => state === "conflict"),
		...list("Cannot be restored", ({ state }) => state === "left"),
		...(turns > 0 ? [`${turns === 1 ? "1 turn leaves" : `${turns} turns leave`} the conversation.`] : []),
	].join("\n");
}
