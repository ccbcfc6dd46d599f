import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

const RACES = process.env.VITRINE_FULL === "1" ? 1_000 : 60;

test(`exactly one of two processes that lock a thread at the same moment gets it, in ${RACES} races`, async (t) => {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-locks-"));
	const rivals = [0, 1].map(() => fork(join(import.meta.dirname, "lock-taker.ts")));
	t.after(() => {
		for (const rival of rivals) rival.kill();
		rmSync(folder, { recursive: true });
	});
	for (let race = 0; race < RACES; race++) {
		const at = performance.timeOrigin + performance.now() + 3;
		const ends = await Promise.all(rivals.map((rival) => tell(rival, { path: join(folder, `${race}`), at })));
		assert.deepEqual(ends.toSorted(), ["locked", "refused"]);
		await Promise.all(rivals.map((rival) => tell(rival, "release")));
	}
});

async function tell(rival: ChildProcess, order: object | string): Promise<unknown> {
	const answer = once(rival, "message");
	rival.send(order);
	return (await answer)[0];
}
