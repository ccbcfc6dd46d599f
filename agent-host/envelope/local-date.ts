/** The day in a time zone, as 2027-01-15. */
export function localDate(now: number, timeZone: string): string {
	const known = DATES.get(timeZone);
	const dates = known ?? new Intl.DateTimeFormat("en-CA", { timeZone, ...DAY });
	if (known === undefined) DATES.set(timeZone, dates);
	return dates.format(now);
}

const DAY = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
/** Creating a formatter takes longer than the rest of an observation. */
const DATES = new Map<string, Intl.DateTimeFormat>();
