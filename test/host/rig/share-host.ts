import { after, type TestContext } from "node:test";
import type { FakeModel, Script } from "../../support/fake-model.ts";
import type { HostProcess } from "../../support/host-process.ts";
import { type HostRig, type HostTest, type HostTestOptions, openRig } from "./with-host.ts";

/** What tests of one host have to themselves: its threads are for whoever starts them. */
export interface SharedTest extends Pick<HostTest, "world" | "model" | "host"> {
	/** A second host on the same home, shared as well. */
	beside(): Promise<HostProcess>;
	/** A host on the same home for this test alone, which ends it. */
	another(): Promise<HostProcess>;
}

/**
 * One host for those tests of a file that do not mind what was before them: it starts with the first of them and is
 * checked as by `withHost` after the last. A test that fails takes it along, so the next one has a new one.
 */
export function shareHost(options: Omit<HostTestOptions, "script">) {
	let shared: Promise<SharedRig> | undefined;
	after(async () => (await shared)?.end());
	return async (t: TestContext, script: Script, body: (test: SharedTest) => Promise<void>): Promise<void> => {
		shared ??= openShared(options).catch((error) => {
			shared = undefined;
			throw error;
		});
		const rig = await shared;
		try {
			const { world, host, beside, another } = rig;
			await body({ world, model: rig.play(script), host, beside, another: () => another() });
		} catch (error) {
			shared = undefined;
			for (const line of rig.logs()) t.diagnostic(line);
			await rig.kill();
			await rig.remove();
			throw error;
		}
	};
}

interface SharedRig extends HostRig {
	readonly host: HostProcess;
	beside(): Promise<HostProcess>;
	/** The model with this script, as if no request had come before. */
	play(script: Script): FakeModel;
	end(): Promise<void>;
}

async function openShared(options: HostTestOptions): Promise<SharedRig> {
	let script: Script = [];
	let before = 0;
	const rig = await openRig({
		...options,
		script: (request, index) =>
			typeof script === "function" ? script(request, index - before) : script[index - before],
	});
	const { model } = rig;
	let second: Promise<HostProcess> | undefined;
	const host = await rig.another().catch(async (error) => {
		// Whatever is left open would hold up the process.
		await rig.kill();
		await rig.remove();
		throw error;
	});
	return {
		...rig,
		host,
		beside() {
			second ??= rig.another();
			return second;
		},
		play(next) {
			script = next;
			before = model.requests.length;
			const start = before;
			return {
				...model,
				get requests() {
					return model.requests.slice(start);
				},
				requestNumber: (number) => model.requestNumber(start + number),
			};
		},
		async end() {
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
