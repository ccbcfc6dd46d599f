import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ServersSettings } from "../../agent-host/protocol/settings/server-settings.ts";
import type { PartialSettings } from "../../agent-host/protocol/settings/settings.ts";
import { says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { MCP_SERVER } from "../support/mcp-server.ts";
import { withHost } from "./rig/with-host.ts";

/** Words that only the library for MCP servers has. */
const LIBRARY = "notifications/initialized";

test("with no server configured a turn does not load the MCP library", async (t) => {
	const bare = await listLoaded(t, {});
	assert.ok(bare.length > 1, "the host is made of parts that are loaded when they are needed");
	assert.ok(!bare.some(hasLibrary));
	const servers = ServersSettings.parse({ fake: { command: process.execPath, args: ["server.mjs"] } });
	assert.ok((await listLoaded(t, { servers })).some(hasLibrary), "it would be noticed");
});

/** The parts of the built host that were loaded for a turn. */
async function listLoaded(t: TestContext, settings: PartialSettings): Promise<readonly string[]> {
	const coverage = mkdtempSync(join(tmpdir(), "vitrine-"));
	try {
		const options = { settings, script: [says("Hello.")], env: { NODE_V8_COVERAGE: coverage } };
		await withHost(t, options, async ({ host, world }) => {
			writeFileSync(join(world.workspace, "server.mjs"), MCP_SERVER);
			await runTurn(host, await aThread(host), "Hello.");
			await host.close();
		});
		return readdirSync(coverage).flatMap((file) => {
			const { result } = JSON.parse(readFileSync(join(coverage, file), "utf8"));
			const urls: readonly string[] = result.map(({ url }: { readonly url: string }) => url);
			return urls.filter((url) => /\/dist\/host-[^/]+\.cjs$/.test(url)).map((url) => fileURLToPath(url));
		});
	} finally {
		rmSync(coverage, { recursive: true });
	}
}

function hasLibrary(file: string): boolean {
	return readFileSync(file, "utf8").includes(LIBRARY);
}
