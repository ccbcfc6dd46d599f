import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { withHost } from "./rig/with-host.ts";

const folder = mkdtempSync(join(tmpdir(), "vitrine-modules-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "modules");
const report = pathToFileURL(join(import.meta.dirname, "../support/report-modules.mjs")).href;

test("a turn over plain HTTP loads neither Node's fetch nor TLS, nor what looks up names or measures time", (t) => {
	const env = { NODE_OPTIONS: `--import=${report}`, VITRINE_MODULES: file };
	return withHost(t, { script: [says("Hi.")], env }, async ({ host }) => {
		assert.equal((await runTurn(host, await aThread(host), "hello")).text, "Hi.");
		await host.close();
		const loaded = readFileSync(file, "utf8").split("\n");
		assert.ok(
			loaded.some((name) => name.endsWith(" _http_client")),
			"the list says what was loaded",
		);
		assert.deepEqual(
			loaded.filter((name) => /undici|tls|dns\/promises|perf_hooks/.test(name)),
			[],
		);
	});
});
