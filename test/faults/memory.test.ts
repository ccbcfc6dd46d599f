import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { MAX_PROMPT_CHARS } from "../../agent-host/protocol/limits.ts";
import { threadExport, threadRead, threadResume } from "../../agent-host/protocol/thread/thread.ts";
import { writeLongThread } from "../support/a-long-thread.ts";
import { floods, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { withKillWorld, withRoom } from "../support/sigkill-world.ts";

const TURNS = process.env.VITRINE_FULL === "1" ? 10_000 : 5_000;
/** The heap limit that the extension gives the host, and the most that it uses. */
const HEAP_MB = 512;
const MOST_MB = 300;

test(`the largest inputs allowed stay below ${MOST_MB} MB: a thread of ${TURNS} turns, and the longest prompt and answer`, (t) =>
	withKillWorld(t, async (kill) => {
		const { threadId } = writeLongThread(kill.world.home, "long", TURNS);
		const answer = floods(3_900, "x".repeat(500));
		const model = await kill.model((_, index) => (index === 1 ? answer : says("Ok.")));
		const spec = withRoom(kill.specFor(model));
		const env = { ...spec.env, NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` };
		const host = await kill.start({ ...spec, env });
		const peaks: string[] = [];
		const note = (what: string) => peaks.push(`${what} ${peakOf(host.pid).toFixed(0)}`);
		await host.request(threadResume, { threadId });
		note("open");
		await host.request(threadRead, { threadId, before: Number.MAX_SAFE_INTEGER, limit: 2_000 });
		assert.equal((await runTurn(host, threadId, "And then?")).text, "Ok.");
		note("turn");
		const giant = await aThread(host);
		const prompt = "a prompt as long as can be, ".repeat(MAX_PROMPT_CHARS / 28);
		assert.equal((await runTurn(host, giant, prompt)).text, answer.text);
		note("giant turn");
		const read = await host.request(threadRead, { threadId: giant });
		assert.equal(read.events.at(-1)?.event.type, "turnCompleted");
		await host.request(threadExport, { threadId: giant });
		note("export");
		t.diagnostic(`peak memory used by the host in MB: ${peaks.join(", ")}`);
		assert.ok(peakOf(host.pid) < MOST_MB, `${peakOf(host.pid)} MB`);
	}));

/** The most memory that a process has ever had, in MB. */
function peakOf(pid: number): number {
	return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
}
