import { readDiffNames } from "./diff-names.ts";
import { looksSecret } from "./secret-files.ts";

/**
 * A diff without the contents of files that probably contain secrets, by their name before or after, and of those whose
 * name cannot be told.
 */
export function withoutSecrets(diff: string): string {
	return diff
		.split(/(?<=\n)(?=diff --(?:git|cc|combined) )/)
		.map((part) => {
			if (part.trim() === "") return part;
			const names = readDiffNames(part);
			if (names === undefined) return "diff of a file whose name could not be read (contents left out)\n";
			const secret = names.findLast(looksSecret);
			return secret === undefined ? part : `diff --git ${secret} (contents left out)\n`;
		})
		.join("");
}

/** The same, cut to a length. */
export function cutDiff(diff: string, maxChars: number): string {
	const whole = withoutSecrets(diff);
	if (whole.length <= maxChars) return whole;
	const note = (left: number): string => `\n[cut off: ${left} more characters]`;
	const room = maxChars - note(whole.length).length;
	return `${whole.slice(0, room).toWellFormed()}${note(whole.length - room)}`;
}
