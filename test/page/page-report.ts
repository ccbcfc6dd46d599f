import { pictureFile } from "../support/editor-paths.ts";
import type { ChatPage } from "./chat-page.ts";

interface Failed {
	readonly name: string;
	readonly error: Error | null;
}

/** How long a page may take to say what it shows: one that hangs must not hold up the report. */
const LIMIT_MS = 5_000;
const LAST_ROWS = 12;
const LAST_MESSAGES = 5;
const MAX_LINE = 300;

/** Adds to a test's error what the page showed, what it was told, what it posted, and where its picture is. */
export async function reportFailure({ name, error }: Failed, page: ChatPage): Promise<void> {
	const cause = error?.cause ?? error;
	if (!(cause instanceof Error)) return;
	const lines = [
		...(await inTime(describe(page), ["The page did not say what it shows."])),
		...page.told.slice(-LAST_MESSAGES).map((message) => `told: ${JSON.stringify(message)}`),
		...page.errors.slice(-LAST_MESSAGES).map((text) => `error: ${text}`),
		await inTime(takePicture(page, name), "no picture could be taken"),
	];
	cause.stack = [cause.stack ?? String(cause), "", ...lines.map(shorten)].join("\n");
}

async function describe({ tab }: ChatPage): Promise<string[]> {
	const { url, focus, rows, posted, violations } = await tab.evaluate(() => ({
		url: location.href,
		focus: (document.activeElement?.cloneNode(false) as Element | undefined)?.outerHTML ?? "none",
		rows: [...document.querySelectorAll<HTMLElement>("[data-row]")].map(
			(row) => `${row.dataset.row}: ${row.innerText}`,
		),
		posted: window.stub.postedEver,
		violations: window.stub.violations,
	}));
	return [
		`page: ${url}`,
		`focus: ${focus}`,
		`${rows.length} rows are drawn, the last ones:`,
		...rows.slice(-LAST_ROWS).map((row) => `  ${row}`),
		...posted.slice(-LAST_MESSAGES).map((message) => `posted: ${message}`),
		...violations.map((violation) => `refused by the policy: ${violation}`),
	];
}

async function takePicture({ tab }: ChatPage, name: string): Promise<string> {
	const path = pictureFile(`failed ${name}`);
	await tab.screenshot({ path, timeout: LIMIT_MS });
	return `picture: ${path}`;
}

/** The answer, or this if it fails or does not come. */
async function inTime<T>(answer: Promise<T>, otherwise: T): Promise<T> {
	const { promise, resolve } = Promise.withResolvers<T>();
	const late = setTimeout(resolve, LIMIT_MS, otherwise);
	answer.then(resolve, () => resolve(otherwise));
	try {
		return await promise;
	} finally {
		clearTimeout(late);
	}
}

function shorten(line: string): string {
	const flat = line.replaceAll(/\s*\n\s*/g, " ⏎ ");
	return flat.length > MAX_LINE ? `${flat.slice(0, MAX_LINE)} …` : flat;
}
