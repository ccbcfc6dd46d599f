import { looksSecret } from "./secret-files.ts";

/** A diff without the contents of files that probably contain secrets, by their name before or after. */
export function withoutSecrets(diff: string): string {
	return diff
		.split(/^(?=diff --git )/m)
		.map((part) => {
			const [, before = "", after = ""] = /^diff --git "?a\/(.*?)"? "?b\/(.*?)"?$/m.exec(part) ?? [];
			return looksSecret(before) || looksSecret(after) ? `diff --git ${after} (contents left out)\n` : part;
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
