import { isInside } from "../../permissions/reach/reach.ts";
import { readSmallFile } from "../../workspace/files/small-file.ts";

/** Documents that the host is told about are shorter. */
const MAX_BYTES = 50_000_000;

/** The open documents in a folder whose text is not what the disk has. */
export async function findUnsaved(documents: ReadonlyMap<string, string>, folder: string): Promise<readonly string[]> {
	const inside = [...documents].filter(([path]) => isInside(path, folder));
	const unsaved = inside.map(async ([path, text]) => {
		const disk = await readSmallFile(path, MAX_BYTES, () => true);
		// In another encoding than UTF-8 the two cannot be compared.
		const isSame = disk.state === "read" && (disk.text.includes("\uFFFD") || level(disk.text) === level(text));
		return isSame ? [] : [path];
	});
	return (await Promise.all(unsaved)).flat();
}

/** Without what the editor changes by opening a file: a mark at its start, and mixed line ends. */
function level(text: string): string {
	return text.replace(/^\uFEFF/, "").replaceAll("\r\n", "\n");
}
