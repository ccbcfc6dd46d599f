// Takes the lock of a thread at a given moment and says whether it got it; gives it back when told to.
import { lockThread, type ThreadLock } from "../../agent-host/store/home/lock.ts";

let held: ThreadLock | undefined;

process.on("message", async (order: { readonly path: string; readonly at: number } | "release") => {
	if (order === "release") {
		held?.release();
		held = undefined;
		process.send?.("released");
		return;
	}
	// Two processes have no common event that reaches both so precisely.
	while (performance.timeOrigin + performance.now() < order.at);
	const lock = await lockThread(order.path);
	held = "release" in lock ? lock : undefined;
	process.send?.(held === undefined ? "refused" : "locked");
});
