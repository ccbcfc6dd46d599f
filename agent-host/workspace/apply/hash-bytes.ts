import { createHash, webcrypto } from "node:crypto";
import { asBytes, type Content, isLink } from "../files/content.ts";

// The same bytes are referred to by hash in the journal, the digest, the change set and the snapshots.
const hashes = new WeakMap<Uint8Array, string>();
const ahead = new WeakMap<Uint8Array, Promise<void>>();

/** SHA-256, as hex digits. */
export function hashBytes(bytes: Uint8Array): string {
	const hash = hashes.get(bytes) ?? createHash("sha256").update(bytes).digest("hex");
	hashes.set(bytes, hash);
	return hash;
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

/** Fewer bytes are hashed before another thread has begun. */
const WORTH_A_THREAD_BYTES = 262_144;

/** Lets another thread hash many bytes meanwhile: when this resolves, `hashBytes` knows the result. */
export async function hashAhead(bytes: Uint8Array | undefined): Promise<void> {
	if (bytes === undefined || bytes.length < WORTH_A_THREAD_BYTES || hashes.has(bytes)) return;
	const work = ahead.get(bytes) ?? hashInThread(bytes);
	ahead.set(bytes, work);
	await work;
}

async function hashInThread(bytes: Uint8Array): Promise<void> {
	const digest = await webcrypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>).catch(() => undefined);
	if (digest !== undefined) hashes.set(bytes, Buffer.from(digest).toString("hex"));
}
