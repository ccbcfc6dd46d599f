import { readlinkSync } from "node:fs";

/** The time zone at process start: JavaScript's clock keeps that one too. */
export function ownTimeZone(): string {
	zoneHere ??= findTimeZone(process.env.TZ, readLocaltime) ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
	return zoneHere;
}

let zoneHere: string | undefined;

/**
 * The zone's name as the system states it. The first formatter of a process costs more than all of the host's modules,
 * so only what is stated in another way is left to it.
 */
export function findTimeZone(variable: string | undefined, readLink: () => string | undefined): string | undefined {
	const stated = variable || readLink()?.split("/zoneinfo/")[1];
	if (stated === undefined || !NAMED.test(stated)) return undefined;
	return UTC.has(stated) ? "UTC" : stated;
}

/** Area and place. Rules such as `EST5EDT`, short names and paths have other meanings on some systems. */
const NAMED = /^(?:UTC|[A-Z][A-Za-z]+(?:\/[A-Z][A-Za-z_]*[A-Za-z](?:-[A-Za-z_-]+)?){1,2})$/;
const UTC: ReadonlySet<string> = new Set(["Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu"]);

function readLocaltime(): string | undefined {
	try {
		return readlinkSync("/etc/localtime");
	} catch {
		return undefined;
	}
}

/** The day in a time zone, as 2027-01-15. */
export function localDate(now: number, timeZone: string): string {
	if (timeZone === ownTimeZone()) return dayOfClock(new Date(now));
	const known = DATES.get(timeZone);
	const dates = known ?? new Intl.DateTimeFormat("en-CA", { timeZone, ...DAY });
	if (known === undefined) DATES.set(timeZone, dates);
	return dates.format(now);
}

function dayOfClock(date: Date): string {
	const [year, month, day] = [date.getFullYear(), date.getMonth() + 1, date.getDate()];
	return [String(year).padStart(4, "0"), ...[month, day].map((part) => String(part).padStart(2, "0"))].join("-");
}

const DAY = { year: "numeric", month: "2-digit", day: "2-digit" } as const;
/** Creating a formatter takes longer than the rest of an observation. */
const DATES = new Map<string, Intl.DateTimeFormat>();
