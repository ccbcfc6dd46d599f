import { after, type TestContext, test } from "node:test";
import { aBarrier } from "../../support/barrier.ts";
import type { HostProcess } from "../../support/host-process.ts";
import { type HostRig, type HostTest, type HostTestOptions, openRig } from "./with-host.ts";

export interface RestartTest extends Pick<HostTest, "world" | "model" | "host"> {
	/**
	 * The next host on the same home, once every test has asked for it or ended. `meanwhile` is done when the one before is
	 * gone and the next has not started.
	 */
	restart(meanwhile?: () => void): Promise<HostProcess>;
}

type Body = (test: RestartTest) => Promise<void>;

/**
 * Tests of what a host finds again on its disk, on one home: they run side by side, each with threads of its own, and
 * restart their host together. One that fails does not hold up the others.
 */
export function shareRestarts(options: HostTestOptions) {
	const bodies: Body[] = [];
	let shared: Promise<Lives> | undefined;
	after(async () => (await shared)?.end());
	return (title: string, body: Body): void => {
		const index = bodies.push(body) - 1;
		test(title, async (t: TestContext) => {
			shared ??= live(options, bodies);
			const { rig, ends } = await shared;
			try {
				await ends[index];
			} catch (error) {
				for (const line of rig.logs()) t.diagnostic(line);
				throw error;
			}
		});
	};
}

interface Lives {
	readonly rig: HostRig;
	readonly ends: readonly Promise<void>[];
	end(): Promise<void>;
}

async function live(options: HostTestOptions, bodies: readonly Body[]): Promise<Lives> {
	const rig = await openRig(options);
	const { world, model } = rig;
	const host = await rig.another();
	const restart = aRestart(rig, host, bodies.length);
	const ends = bodies.map((body) => body({ world, model, host, restart: restart.ask }).finally(restart.leave));
	const all = Promise.allSettled(ends);
	return {
		rig,
		ends,
		async end() {
			await all;
			try {
				await rig.close();
				await rig.kill();
				await rig.check();
			} finally {
				await rig.remove();
			}
		},
	};
}

function aRestart(rig: HostRig, first: HostProcess, count: number) {
	let host = first;
	let betweens: (() => void)[] = [];
	const barrier = aBarrier(count, async () => {
		await host.close();
		for (const between of betweens) between();
		betweens = [];
		host = await rig.another();
		return host;
	});
	return {
		leave: barrier.leave,
		async ask(meanwhile: () => void = () => undefined): Promise<HostProcess> {
			const failures: unknown[] = [];
			betweens.push(() => {
				try {
					meanwhile();
				} catch (error) {
					failures.push(error);
				}
			});
			const next = await barrier.arrive();
			for (const failure of failures) throw failure;
			return next;
		},
	};
}
