// All user-visible sentences; those of the host come by name (host-words.ts). A sentence is its own key, as with
// `vscode.l10n`; the editor chooses the bundle of its language, and English needs none.
import type german from "./bundle.l10n.de.json";

/** All keys; every bundle contains exactly these. */
export type Message = keyof typeof german;

/** Numbers are formatted for the language. */
type Value = string | number;

type ValuesFor<M extends string> = M extends `${string}{2}${string}`
	? readonly [Value, Value, Value]
	: M extends `${string}{1}${string}`
		? readonly [Value, Value]
		: M extends `${string}{0}${string}`
			? readonly [Value]
			: readonly [];

export type Bundle = Readonly<Record<string, string>>;

let bundle: Bundle = {};
let numbers = new Intl.NumberFormat("en");
let times = clockOf("en");
let hours = hoursOf("en");
let seconds = secondsOf("en");
let ages = agesOf("en");
let plurals = new Intl.PluralRules("en");
let lists = listsOf("en");

/** Sets the language, once, before any message is shown. Without a bundle it is English. */
export function setLanguage(language: string, words: Bundle | undefined): void {
	const spoken = words === undefined ? "en" : language;
	bundle = words ?? {};
	numbers = new Intl.NumberFormat(spoken);
	times = clockOf(spoken);
	hours = hoursOf(spoken);
	seconds = secondsOf(spoken);
	ages = agesOf(spoken);
	plurals = new Intl.PluralRules(spoken);
	lists = listsOf(spoken);
}

/** The message in the reader's language, `{0}` and so on replaced by the values. */
export function t<M extends Message>(message: M, ...values: ValuesFor<M>): string {
	return fill(bundle[message] ?? message, values);
}

/** The same for a message with named placeholders; undefined when a value is missing. */
export function withValues(message: Message, values: Readonly<Record<string, Value>>): string | undefined {
	const text = bundle[message] ?? message;
	const places = [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
	if (!places.every((name) => Object.hasOwn(values, name))) return undefined;
	return text.replace(/\{(\w+)\}/g, (place, name: string) => write(values[name] ?? place));
}

/** A message with its placeholders, for callers that fill in more than text. */
export function withPlaces(message: Message): string {
	return bundle[message] ?? message;
}

/**
 * "1 file", "1,200 files". A form that only some languages have is in their bundle as `{0} files#many`, by the names of
 * `Intl.PluralRules`.
 */
export function countOf(count: number, one: Message, other: Message): string {
	const form = plurals.select(count);
	const message = form === "one" ? one : other;
	return fill(bundle[`${message}#${form}`] ?? bundle[message] ?? message, [count]);
}

/** "read 3 files, searched 2 times", in English. */
export function listOf(parts: readonly string[]): string {
	return lists.format(parts);
}

/** "1,200", in English. */
export function numberOf(value: number): string {
	return numbers.format(value);
}

/** "Nov 15, 2026, 10:42 AM", in English. */
export function timeOf(at: number): string {
	return times.format(at);
}

/** "10:42 AM", in English. */
export function clockTimeOf(at: number): string {
	return hours.format(at);
}

/** "10:42:07 AM", in English. */
export function exactTimeOf(at: number): string {
	return seconds.format(at);
}

/** "2 hr. ago", "yesterday", in English; uses the largest whole unit. */
export function agoOf(at: number, now: number): string {
	const ms = Math.max(now - at, 0);
	const [unit, size] = AGES.find(([, one]) => ms >= one) ?? ["minute", 60_000];
	return ages.format(-Math.floor(ms / size), unit);
}

const AGES = [
	["month", 30 * 86_400_000],
	["day", 86_400_000],
	["hour", 3_600_000],
] as const;

function fill(text: string, values: readonly Value[]): string {
	return text.replace(/\{(\d)\}/g, (place, index) => {
		const value = values[Number(index)];
		return value === undefined ? place : write(value);
	});
}

function write(value: Value): string {
	return typeof value === "number" ? numberOf(value) : value;
}

function listsOf(language: string): Intl.ListFormat {
	return new Intl.ListFormat(language, { type: "conjunction", style: "narrow" });
}

function hoursOf(language: string): Intl.DateTimeFormat {
	return new Intl.DateTimeFormat(language, { timeStyle: "short" });
}

function secondsOf(language: string): Intl.DateTimeFormat {
	return new Intl.DateTimeFormat(language, { timeStyle: "medium" });
}

function agesOf(language: string): Intl.RelativeTimeFormat {
	return new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" });
}

function clockOf(language: string): Intl.DateTimeFormat {
	return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
}
