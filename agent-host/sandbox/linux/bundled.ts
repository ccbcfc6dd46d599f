import { createHash } from "node:crypto";
import { readFile, realpath } from "node:fs/promises";
import { join } from "node:path";

/** Set by the build: hashes by target, as JSON. */
declare const VITRINE_BWRAP_SHA256: string | undefined;

/** A program shipped with the extension, with its hash at packing time. */
export interface Slot {
	readonly file: string;
	readonly sha256: string;
}

export type SlotState =
	| { readonly state: "empty" }
	| { readonly state: "changed"; readonly file: string }
	| { readonly state: "filled"; readonly file: string };

/** The bubblewrap shipped in the package for this machine, if any. */
export function bundledSlot(): Slot | undefined {
	const hashes: Record<string, string> =
		typeof VITRINE_BWRAP_SHA256 === "undefined" ? {} : JSON.parse(VITRINE_BWRAP_SHA256);
	const target = `${process.platform}-${process.arch}`;
	const sha256 = hashes[target];
	return sha256 === undefined ? undefined : { file: join(import.meta.dirname, "bin", target, "bwrap"), sha256 };
}

/** Checks a slot. A file that differs from the packed one is never used. */
export async function readSlot(slot: Slot | undefined): Promise<SlotState> {
	if (slot === undefined) return { state: "empty" };
	const file = await realpath(slot.file).catch(() => undefined);
	if (file === undefined) return { state: "empty" };
	const bytes = await readFile(file).catch(() => Buffer.alloc(0));
	const sha256 = createHash("sha256").update(bytes).digest("hex");
	return { state: sha256 === slot.sha256 ? "filled" : "changed", file };
}
