import type { BigIntStats } from "node:fs";
import { SETTLED_MS } from "./known-files.ts";

/** Another one after everything that happens to a file or folder: no program can set the change time. */
export type Stamp = Readonly<Record<"ino" | "size" | "mtimeNs" | "ctimeNs", bigint>>;

/** Without the rest, since there are thousands. */
export function toStamp({ ino, size, mtimeNs, ctimeNs }: BigIntStats): Stamp {
	return { ino, size, mtimeNs, ctimeNs };
}

export function isSameStamp(a: Stamp, b: Stamp): boolean {
	return a.ctimeNs === b.ctimeNs && a.mtimeNs === b.mtimeNs && a.size === b.size && a.ino === b.ino;
}

/** Whether every later change gets another stamp. `now` is from before the stamp was taken, in milliseconds. */
export function isSettled({ ctimeNs }: Stamp, now: number): boolean {
	return now - Number(ctimeNs / 1_000_000n) >= SETTLED_MS;
}
