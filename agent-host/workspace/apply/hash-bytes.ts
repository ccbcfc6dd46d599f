import { createHash, hash } from "node:crypto";
import { asBytes, type Content, isLink } from "../files/content.ts";

// The same bytes are referred to by hash in the journal, the digest, the change set and the snapshots.
const hashes = new WeakMap<Uint8Array, string>();

/** SHA-256, as hex digits. */
export function hashBytes(bytes: Uint8Array): string {
	const known = hashes.get(bytes) ?? hash("sha256", bytes);
	hashes.set(bytes, known);
	return known;
}

/** Before the hash of a link's target: a file with the same bytes is another content. Persisted. */
const LINK_PREFIX = "link-";

/** SHA-256 of a file's bytes; of a link, that of its target after a prefix. */
export function hashContent(content: Content): string {
	return isLink(content) ? LINK_PREFIX + hashBytes(asBytes(content)) : hashBytes(content);
}

export function isLinkHash(hash: string | undefined): boolean {
	return hash?.startsWith(LINK_PREFIX) ?? false;
}

/** The SHA-256 in it. */
export function keptName(hash: string): string {
	return isLinkHash(hash) ? hash.slice(LINK_PREFIX.length) : hash;
}

/** Another thread would need a copy, and making that takes as long as hashing half of them. */
const PIECE_BYTES = 4 * 1_048_576;

/** Hashes many bytes in pieces, between which others have their turn: when this resolves, `hashBytes` knows the result. */
export async function hashInPieces(bytes: Uint8Array | undefined): Promise<void> {
	if (bytes === undefined || bytes.length <= PIECE_BYTES || hashes.has(bytes)) return;
	const work = createHash("sha256");
	for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
		work.update(bytes.subarray(at, at + PIECE_BYTES));
		await new Promise(setImmediate);
	}
	hashes.set(bytes, work.digest("hex"));
}
