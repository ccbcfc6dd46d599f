import { countOf, t } from "../../../l10n/t.ts";
import { showPath } from "../../model/words/invisible.ts";
import { Icon } from "./icon.tsx";

/** Icon beside a number of changed files: names those that the user's build or tests run. Nothing if there are none. */
export function BuildMark({ paths }: { readonly paths: readonly string[] }) {
	if (paths.length === 0) return null;
	const words = t("Runs with your build or tests: {0}", nameSome(paths.map(showPath)));
	return (
		<span class="build-mark quiet" role="img" aria-label={words} title={words}>
			<Icon name="tools" />
		</span>
	);
}

const MAX_NAMED = 8;

function nameSome(paths: readonly string[]): string {
	const named = paths.slice(0, MAX_NAMED).join(", ");
	const more = paths.length - MAX_NAMED;
	return more <= 0 ? named : t("{0} and {1}", named, countOf(more, "{0} more file", "{0} more files"));
}
