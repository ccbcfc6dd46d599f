import type { Snapshots } from "../../store/log/snapshots.ts";
import { hashBytes, hashContent, isLinkHash, keptName } from "../../workspace/apply/hash-bytes.ts";
import { asBytes, type Content } from "../../workspace/files/content.ts";

/** Stores a content; `hash` also says whether it is a link. */
export async function keepContent(
	snapshots: Snapshots,
	content: Content,
): Promise<{ readonly hash: string; readonly state: "kept" | "full" }> {
	const bytes = asBytes(content);
	const { state } = await snapshots.put(bytes, hashBytes(bytes));
	return { hash: hashContent(content), state };
}

/** Undefined if it was not stored, or has changed. */
export async function readKept(snapshots: Snapshots, hash: string): Promise<Content | undefined> {
	const bytes = await snapshots.get(keptName(hash));
	return bytes !== undefined && isLinkHash(hash) ? { target: bytes } : bytes;
}
