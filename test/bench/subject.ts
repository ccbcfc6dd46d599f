import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as esbuild from "esbuild";
import type { ThreadId } from "../../agent-host/protocol/ids.ts";
import { type FakeModel, startFakeModel } from "../support/fake-model.ts";
import { prerender } from "../support/fake-model-play.ts";
import { type Step, says } from "../support/fake-model-steps.ts";
import { aThread, HOST_BUNDLE, type HostProcess, type HostSpec, startHost } from "../support/host-process.ts";

/** What is measured: a host with a model of its own. */
export interface Subject {
	readonly host: HostProcess;
	readonly threadId: ThreadId;
	readonly model: FakeModel;
	readonly home: string;
	/** What the model does from now on. */
	answer(step: Step): void;
	stop(): Promise<void>;
}

export interface Bench {
	readonly folder: string;
	/** The null host, built like ours, so that both start as plain JavaScript. */
	readonly floor: string;
	readonly ours: string;
	remove(): void;
}

export async function openBench(): Promise<Bench> {
	const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
	const floor = join(folder, "null-host.mjs");
	const entry = join(import.meta.dirname, "null-host.ts");
	await esbuild.build({
		entryPoints: [entry],
		bundle: true,
		minify: true,
		platform: "node",
		format: "esm",
		outfile: floor,
	});
	return { folder, floor, ours: HOST_BUNDLE, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export async function startSubject(bench: Bench, program: string): Promise<Subject> {
	let step: Step = says("ok");
	const model = await startFakeModel(() => step);
	const spec = specOf(bench, program, model);
	const host = await startHost(spec);
	return {
		host,
		model,
		home: spec.home,
		threadId: await aThread(host),
		answer(next) {
			prerender(next, "responses");
			step = next;
		},
		async stop() {
			await host.close();
			await model.stop();
		},
	};
}

let homes = 0;

/** A home that does not exist yet, an empty workspace, and the settings a user with a local server would have. */
export function specOf(bench: Bench, program: string, model: Pick<FakeModel, "baseUrl">): HostSpec {
	homes += 1;
	return {
		program,
		home: join(bench.folder, `home-${homes}`),
		folders: [bench.folder],
		settings: { model: { provider: "compatible", baseUrl: model.baseUrl, id: "fake-1", contextWindow: 1_000_000 } },
		env: { HOME: bench.folder },
		secret: "a-key",
	};
}
