/** What stands at a path: the bytes of a file, or a link, which is never followed. */
export type Content = Uint8Array | Link;

export interface Link {
	/** Where it leads, as it was written. */
	readonly target: Uint8Array;
}

export function isLink(content: Content | undefined): content is Link {
	return content !== undefined && "target" in content;
}

/** The bytes that it is kept as. */
export function asBytes(content: Content): Uint8Array {
	return isLink(content) ? content.target : content;
}

export function isSameContent(a: Content | undefined, b: Content | undefined): boolean {
	if (a === undefined || b === undefined) return a === b;
	return isLink(a) === isLink(b) && Buffer.compare(asBytes(a), asBytes(b)) === 0;
}
