/** Follows a JSON object that arrives in pieces, looking at each character once; true while it is whole. */
export function createObjectEnd(): (piece: string) => boolean {
	let depth = 0;
	let state: "outside" | "value" | "text" | "escape" = "outside";
	const read = (char: string): void => {
		if (state === "escape") state = "text";
		else if (state === "text") state = char === "\\" ? "escape" : char === '"' ? "value" : "text";
		else if (char === '"') state = "text";
		else if (char === "{" || char === "[") {
			state = "value";
			depth += 1;
		} else if (char === "}" || char === "]") depth -= 1;
	};
	return (piece) => {
		for (const char of piece) read(char);
		return state === "value" && depth === 0;
	};
}
