/** The file as a `data:` address, once the browser has drawn it; undefined when it cannot be drawn. */
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

/** The text of a file; undefined for anything that is none, such as a folder or a program. */
export async function readText(file: File): Promise<string | undefined> {
	try {
		const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
		return text.includes("\0") ? undefined : text;
	} catch {
		return undefined;
	}
}
