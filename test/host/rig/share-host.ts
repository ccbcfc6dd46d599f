import { after, type TestContext } from "node:test";
import type { FakeModel, Script } from "../../support/fake-model.ts";
import type { HostProcess } from "../../support/host-process.ts";
import { type HostRig, type HostTest, type HostTestOptions, openRig } from "./with-host.ts";

/** What tests of one host have to themselves: its threads are for whoever starts them. */
export interface SharedTest extends Pick<HostTest, "world" | "model" | "host" | "launch"> {
	/** A second host on the same home, shared as well. */
	beside(): Promise<HostProcess>;
	/**
	 * A further host on the same home. In a test that ended the shared one, the next test goes on with the one that was
	 * started in its place; all others end with the test.
	 */
	another: HostTest["another"];
}

/**
 * One host for those tests of a file that do not mind what was before them: it starts with the first of them and is
 * checked as by `withHost` after the last. A test may end it, as one about a restart does. A test that fails takes it
 * along, so the next one has a new one.
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
			const { world, launch, beside, another } = rig;
			await body({ world, model: rig.play(script), host: await rig.current(), launch, beside, another });
			await rig.endOthers();
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
	/** The host for the next test. */
	current(): Promise<HostProcess>;
	beside(): Promise<HostProcess>;
	/** Ends what the next test has no use for. */
	endOthers(): Promise<void>;
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
	const ended = new Set<HostProcess>();
	const start = async (changes?: Parameters<HostRig["another"]>[0]) => {
		const host = await rig.another(changes);
		const note = () => void ended.add(host);
		host.exited.then(note, note);
		return host;
	};
	let host = await start().catch(async (error) => {
		// Whatever is left open would hold up the process.
		await rig.kill();
		await rig.remove();
		throw error;
	});
	/** Those that this test started; true for one that is as the shared one is. */
	const further = new Map<HostProcess, boolean>();
	return {
		...rig,
		async current() {
			if (ended.has(host)) host = await start();
			return host;
		},
		beside() {
			second ??= rig.another();
			return second;
		},
		async another(changes) {
			const one = await start(changes);
			further.set(one, changes === undefined);
			return one;
		},
		async endOthers() {
			const heir = ended.has(host) ? [...further].find(([one, isAlike]) => isAlike && !ended.has(one))?.[0] : undefined;
			for (const one of further.keys()) if (one !== heir) await one.close();
			further.clear();
			host = heir ?? host;
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
