const COMMENTS = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const LAST_COMMAS = /"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g;

/** JSON as editors let people write it, with comments and commas too many, as plain JSON of the same lines. */
export function stripComments(text: string): string {
	return text.replaceAll(COMMENTS, blankUnlessString).replaceAll(LAST_COMMAS, blankUnlessString);
}

function blankUnlessString(part: string): string {
	return part.startsWith('"') ? part : part.replaceAll(/[^\n]/g, " ");
}
