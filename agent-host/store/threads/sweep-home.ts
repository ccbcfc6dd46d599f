import { join } from "node:path";
import type { Home } from "../home/home.ts";
import { deleteThread } from "../log/thread-log.ts";

/** Removes leftovers of an interrupted deletion or import. */
export async function sweepHome(home: Home): Promise<void> {
	const names = new Set(await home.disk.list(home.threads).catch(() => []));
	const left = [...names].flatMap((name) => /^(.*\.jsonl)\.(?:blobs|files|incoming)$/.exec(name)?.[1] ?? []);
	for (const name of new Set(left)) {
		const path = join(home.threads, name);
		if (names.has(name)) continue;
		const lock = await home.lock(path);
		// Held: another process is just creating this thread.
		if (!("release" in lock)) continue;
		try {
			if ((await home.disk.stat(path)) === undefined) await deleteThread(home.disk, path);
		} finally {
			lock.release();
		}
	}
}
