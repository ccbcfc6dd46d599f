const CHARS_PER_TOKEN_TEXT = 4;
const CHARS_PER_TOKEN_BLOB = 1.5;
const BLOB_LENGTH = 64;

/** Estimated tokens of a text, by class: scripts without spaces, unbroken blobs, all else. Linear time. */
export function estimateTokens(text: string): number {
	let wide = 0;
	let blob = 0;
	let run = 0;
	for (let index = 0; index < text.length; index += 1) {
		const code = text.charCodeAt(index);
		if (code >= 0x2e80) wide += 1;
		if (isBlobChar(code)) {
			run += 1;
			continue;
		}
		if (run >= BLOB_LENGTH) blob += run;
		run = 0;
	}
	if (run >= BLOB_LENGTH) blob += run;
	const plain = text.length - wide - blob;
	return Math.ceil(plain / CHARS_PER_TOKEN_TEXT + blob / CHARS_PER_TOKEN_BLOB + wide);
}

// Letters, digits, + / = _ and -: what base64, hex and minified names are made of.
function isBlobChar(code: number): boolean {
	return (
		(code >= 97 && code <= 122) ||
		(code >= 65 && code <= 90) ||
		(code >= 47 && code <= 57) ||
		code === 43 ||
		code === 61 ||
		code === 95 ||
		code === 45
	);
}
