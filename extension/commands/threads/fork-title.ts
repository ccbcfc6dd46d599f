import { t } from "../../../l10n/t.ts";

/** A title for a fork that no other thread has: "Title (fork)", then "Title (fork 2)". */
export function titleFork(original: string, taken: readonly string[]): string {
	for (let number = 1; ; number += 1) {
		const title = number === 1 ? t("{0} (fork)", original) : t("{0} (fork {1})", original, number);
		if (!taken.includes(title)) return title;
	}
}
