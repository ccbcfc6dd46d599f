import { compareWaiting, NOT_YET_USED } from "../support/not-yet-used.ts";

/** Of knip's report in JSON, what is read here. */
interface KnipReport {
	readonly issues: readonly ({ readonly file: string } & Readonly<Record<string, unknown>>)[];
}

/** What is wrong with the code that the product alone reaches, from knip's report; empty when nothing is. */
export function judgeUnused(report: string): string {
	// Written by knip; a report of another shape names files that are on no list.
	const { issues } = JSON.parse(report) as KnipReport;
	const found = issues.flatMap(({ file, ...kinds }) =>
		Object.entries(kinds).flatMap(([kind, names]) =>
			namesIn(names).map((name) => (kind === "files" ? file : `${file}: ${name}`)),
		),
	);
	return compareWaiting(found, NOT_YET_USED.code).join("\n");
}

function namesIn(found: unknown): readonly string[] {
	return Array.isArray(found) ? found.map((one) => String(one.name ?? JSON.stringify(one))) : [];
}
