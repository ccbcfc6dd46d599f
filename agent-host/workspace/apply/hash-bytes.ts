import { createHash, webcrypto } from "node:crypto";

// The same bytes are referred to by hash in the journal, the digest, the change set and the snapshots.
const hashes = new WeakMap<Uint8Array, string>();
const ahead = new WeakMap<Uint8Array, Promise<void>>();

/** SHA-256, as hex digits. */
export function hashBytes(bytes: Uint8Array): string {
	const hash = hashes.get(bytes) ?? createHash("sha256").update(bytes).digest("hex");
	hashes.set(bytes, hash);
	return hash;
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
