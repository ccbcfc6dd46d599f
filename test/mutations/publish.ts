import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PROJECT } from "../support/editor-paths.ts";
import { MUTATIONS } from "./catalog.ts";

export const PAGE_PATH = join(PROJECT, "docs", "mutations.md");

/** One row of the table. */
export interface Result {
	readonly protection: string;
	/** File and title of the test that noticed; undefined when none did. */
	readonly noticedBy: { readonly test: string; readonly title: string } | undefined;
	readonly seconds: number;
}

const SURVIVED = "**nobody**";

/** The rows of a page that was published before. */
export function readPage(page: string): ReadonlyMap<string, string> {
	const rows = page.matchAll(/^\| (?!Protection|---)((?:[^|\\]|\\.)+) \| .* \|$/gm);
	return new Map([...rows].map(([row, protection = ""]) => [unescapeCell(protection), row]));
}

export function renderRow({ protection, noticedBy, seconds }: Result): string {
	const by = noticedBy === undefined ? SURVIVED : `\`${noticedBy.test}\`: ${escapeCell(noticedBy.title)}`;
	return `| ${escapeCell(protection)} | ${by} | ${seconds.toFixed(0)} |`;
}

export function isSurvivor(row: string): boolean {
	return row.includes(`| ${SURVIVED} |`);
}

/** Writes new rows into the page; those of protections that were not tried now stay. */
export function publish(results: readonly Result[]): void {
	const rows = new Map(readPage(readPageFile()));
	for (const result of results) rows.set(result.protection, renderRow(result));
	const groups = Object.entries(MUTATIONS).map(([group, mutations]) =>
		[`## ${group}`, "", ...HEAD, ...mutations.flatMap(({ protection }) => rows.get(protection) ?? [])].join("\n"),
	);
	writeFileSync(PAGE_PATH, `${INTRODUCTION}\n${groups.join("\n\n")}\n`);
}

export function readPageFile(): string {
	try {
		return readFileSync(PAGE_PATH, "utf8");
	} catch {
		return "";
	}
}

const HEAD = ["| Protection | Noticed by | Seconds |", "| --- | --- | --- |"];

const INTRODUCTION = `# What notices when a protection is gone

\`npm run mutate -- --publish\` switches off one protection at a time, in a copy of the repository, runs the tests that should notice, and
writes this page. The seconds include the build, where one is needed, and depend on what else the machine does.
`;

function escapeCell(text: string): string {
	return text.replaceAll(/[\\|]/g, "\\$&").replaceAll("\n", " ");
}

function unescapeCell(text: string): string {
	return text.replaceAll(/\\([\\|])/g, "$1");
}
