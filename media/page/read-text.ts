/** The text of a file; undefined for anything that is none, such as a folder or a program. */
export async function readText(file: File): Promise<string | undefined> {
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
		return text.includes("\0") ? undefined : text;
	} catch {
		return undefined;
	}
}
