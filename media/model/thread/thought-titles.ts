/** More titles than these are not shown on one line. */
const MAX_TITLES = 3;
const MAX_TITLE_CHARS = 80;

/** A line that is bold as a whole, or a heading: how models title a thought. */
const TITLE = /^(?:\*\*([^*\n]+)\*\*|#{1,6} +(.+?))\s*$/gm;

/** Titles of a thought, the newest last. A line that is still being written has none yet. */
export function readTitles(text: string): readonly string[] {
	const titles = [...text.matchAll(TITLE)].map(([, bold, heading]) => (bold ?? heading ?? "").trim());
	return titles.filter((title) => title !== "" && title.length <= MAX_TITLE_CHARS).slice(-MAX_TITLES);
}
