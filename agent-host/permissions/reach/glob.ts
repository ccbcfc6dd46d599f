/**
 * Whether a path with `/` separators matches a glob of `*`, `**` and `?`. A pattern without a slash matches the last
 * segment, as in .gitignore. Hand-written because the pattern comes from the model: time is bounded by pattern × path,
 * while a regular expression made from it could take exponential time.
 */
export function matchesGlob(pattern: string, path: string): boolean {
	return reachedParts(pattern, path).at(-1) === true;
}

/** Whether the path or one of its parent folders matches. */
export function matchesUpTo(pattern: string, path: string): boolean {
	return reachedParts(pattern, path).slice(1).includes(true);
}

/** The numbers of path segments that the whole pattern can match. */
function reachedParts(pattern: string, path: string): readonly boolean[] {
	const parts = path.split("/");
	const written = pattern.replace(/^\.?\//, "").split("/");
	const wanted = written.length === 1 ? ["**", ...written] : written;
	// reachable[j]: the first i patterns can match the first j parts.
	let reachable = parts.map(() => false);
	reachable = [true, ...reachable];
	for (const part of wanted) {
		const next = reachable.map(() => false);
		for (let j = 0; j < next.length; j += 1) {
			if (part === "**") next[j] = reachable[j] === true || (j > 0 && next[j - 1] === true);
			else if (j > 0) next[j] = reachable[j - 1] === true && matchesPart(part, parts[j - 1] ?? "");
		}
		reachable = next;
	}
	return reachable;
}

function matchesPart(pattern: string, name: string): boolean {
	let p = 0;
	let n = 0;
	let star = -1;
	let resume = 0;
	while (n < name.length) {
		if (p < pattern.length && pattern[p] === "*") {
			star = p;
			resume = n;
			p += 1;
		} else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === name[n])) {
			p += 1;
			n += 1;
		} else if (star >= 0) {
			p = star + 1;
			resume += 1;
			n = resume;
		} else return false;
	}
	while (pattern[p] === "*") p += 1;
	return p === pattern.length;
}
