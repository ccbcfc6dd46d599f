import type { BigIntStats } from "node:fs";

/** A file that changed less than this ago may change again within the same tick of the file system's clock. */
export const SETTLED_MS = 2_000;
/** Beyond this number all are forgotten. */
const MAX_KNOWN = 4_096;

/** Another one after everything that happens to a file; no program can set it back. */
export interface FileVersion {
	readonly name: string;
	/** When that last was, in milliseconds. */
	readonly changedAt: number;
}

export function readVersion({ dev, ino, size, mode, mtimeNs, ctimeNs, ctimeMs }: BigIntStats): FileVersion {
	return { name: [dev, ino, size, mode, mtimeNs, ctimeNs].join(" "), changedAt: Number(ctimeMs) };
}

/** What was found out about files by reading them, for as long as nothing happens to them. */
export interface KnownFiles<Known> {
	readonly find: (path: string, version: FileVersion) => Known | undefined;
	/** `version` is from before the file was read, and `now` from before that. */
	readonly remember: (path: string, version: FileVersion, known: Known, now: number) => void;
}

export function createKnownFiles<Known>(): KnownFiles<Known> {
	const files = new Map<string, { readonly version: string; readonly known: Known }>();
	return {
		find: (path, { name }) => {
			const file = files.get(path);
			return file?.version === name ? file.known : undefined;
		},
		remember: (path, { name, changedAt }, known, now) => {
			if (now - changedAt < SETTLED_MS) return;
			if (files.size >= MAX_KNOWN) files.clear();
			files.set(path, { version: name, known });
		},
	};
}
