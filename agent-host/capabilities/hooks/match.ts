/** What other agents call our tools; people write matchers with these names. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
	run_command: ["Bash"],
	apply_patch: ["Edit", "Write", "MultiEdit"],
	read_file: ["Read"],
	search_files: ["Grep"],
	list_files: ["Glob"],
};
const MAX_PATTERN_CHARS = 200;
const MAX_REPEATS = 3;

/**
 * Whether a matcher is meant for a tool or another subject of an event. Names separated by pipes or commas are exact;
 * anything else is a regular expression. An empty one and `*` match everything.
 */
export function matches(matcher: string, subject: string): boolean {
	if (matcher === "" || matcher === "*") return true;
	const names = [subject, ...(ALIASES[subject] ?? [])];
	if (/^[\w\s|,:-]+$/.test(matcher)) {
		const wanted = matcher.split(/[|,]/).map((name) => name.trim());
		return names.some((name) => wanted.includes(name));
	}
	const pattern = compile(matcher);
	// One that cannot be read is meant for something; what tightens runs too often rather than never.
	return pattern === undefined || names.some((name) => pattern.test(name));
}

/** Undefined if it is none, or could take long: repeats of groups, or many repeats. */
function compile(matcher: string): RegExp | undefined {
	const repeats = matcher.match(/[*+{]/g)?.length ?? 0;
	if (matcher.length > MAX_PATTERN_CHARS || repeats > MAX_REPEATS || /\)[*+?{]|\\\d/.test(matcher)) return undefined;
	try {
		return new RegExp(matcher);
	} catch {
		return undefined;
	}
}
