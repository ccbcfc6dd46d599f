/** Reads a file as a `data:` URL; undefined if the browser cannot draw it. */
export async function readImage(file: File): Promise<string | undefined> {
	const url = await new Promise<string | undefined>((resolve) => {
		const reader = new FileReader();
		reader.onload = () => resolve(typeof reader.result === "string" ? reader.result : undefined);
		reader.onerror = () => resolve(undefined);
		reader.readAsDataURL(file);
	});
	if (url === undefined) return undefined;
	const image = new Image();
	image.src = url;
	return image.decode().then(
		() => url,
		() => undefined,
	);
}

/** Reads a file as text; undefined if it is not text, such as a folder or a program. */
export async function readText(file: File): Promise<string | undefined> {
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
		return text.includes("\0") ? undefined : text;
	} catch {
		return undefined;
	}
}
