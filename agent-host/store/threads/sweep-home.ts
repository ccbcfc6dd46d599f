import { basename, join } from "node:path";
import type { Home } from "../home/home.ts";
import { finishRepair, intactPath } from "../log/finish-repair.ts";
import { segmentPaths } from "../log/segments.ts";
import { deleteThread } from "../log/thread-log.ts";

/**
 * Finishes interrupted repairs, and removes leftovers of an interrupted deletion or import. A deletion removes the
 * oldest file of a thread last, so that a thread of which any is left was not being deleted.
 */
export async function sweepHome(home: Home): Promise<void> {
	const names = new Set(await home.disk.list(home.threads).catch(() => []));
	const left = [...names].flatMap(
		(name) => /^(.*\.jsonl)\.(?:blobs|files|incoming|intact|state(?:\.new)?)$/.exec(name)?.[1] ?? [],
	);
	for (const name of new Set(left)) {
		const path = join(home.threads, name);
		if (names.has(name) && !names.has(basename(intactPath(path)))) continue;
		const lock = await home.lock(path);
		// Held: another process is just creating this thread.
		if (!("release" in lock)) continue;
		try {
			await finishRepair(home.disk, path);
			if ((await segmentPaths(home.disk, path)).length === 0) await deleteThread(home.disk, path);
		} finally {
			lock.release();
		}
	}
}
