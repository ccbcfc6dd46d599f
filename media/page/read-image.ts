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
