import { MAX_DROPPED_CHARS, MAX_DROPPED_FILES } from "../../wire/limits.ts";
import type { FromWebview } from "../../wire.ts";
import { checkFileCount, checkFileSize, checkFileText, type Dropped } from "./dropped-files.ts";
import type { PageImages } from "./page-images.ts";

export interface DropPorts {
	readonly post: (message: FromWebview) => void;
	/** Text of a file; undefined if it is not text. */
	readonly readText: (file: File) => Promise<string | undefined>;
	readonly images: Pick<PageImages, "attach">;
}

/** Attaches dropped or pasted files to the next prompt. Returns the reason for the last one that cannot be attached. */
export async function uploadDropped(given: Dropped, ports: DropPorts): Promise<string | undefined> {
	if (given.from === "system") return uploadFiles(given.files, ports);
	// The extension decides which of them are in the workspace.
	ports.post({ type: "attachFiles", uris: given.uris.slice(0, MAX_DROPPED_FILES) });
	return checkFileCount(given.uris.length);
}

/** Attaches images as images, everything else as text. */
async function uploadFiles(files: readonly File[], ports: DropPorts): Promise<string | undefined> {
	const taken = files.slice(0, MAX_DROPPED_FILES);
	const isImage = ({ type }: File): boolean => type.startsWith("image/");
	let problem = await ports.images.attach(taken.filter(isImage));
	for (const file of taken.filter((file) => !isImage(file))) problem = (await uploadText(file, ports)) ?? problem;
	return problem ?? checkFileCount(files.length);
}

async function uploadText(file: File, { post, readText }: DropPorts): Promise<string | undefined> {
	const refusal = checkFileSize(file);
	if (refusal !== undefined) return refusal;
	const text = await readText(file);
	if (text !== undefined && text.length <= MAX_DROPPED_CHARS) post({ type: "attachText", name: file.name, text });
	return checkFileText(file.name, text);
}
