const MAX_DETAIL_CHARS = 300;

/** Text of a server as one short line without anything that a terminal or a page could take for an order. */
export function plainLine(text: string): string {
	const head = text.slice(0, 4 * MAX_DETAIL_CHARS);
	const line = head
		.replaceAll(/\p{Cc}\[[0-9;?]*[ -/]*[@-~]/gu, "")
		.replaceAll(/[\s\p{Cc}\p{Cf}\p{Co}\p{Cn}]+/gu, " ")
		.trim();
	const isWhole = head.length === text.length && line.length <= MAX_DETAIL_CHARS;
	return isWhole ? line : `${line.slice(0, MAX_DETAIL_CHARS).toWellFormed()}…`;
}
