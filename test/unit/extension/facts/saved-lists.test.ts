import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandRule } from "../../../../agent-host/protocol/settings/policy-settings.ts";
import type * as settings from "../../../../extension/facts/settings.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

const RULE: CommandRule = { prefix: ["npm", "test"], decision: "allow" };
const TOOL = { server: "docs", tool: "find", definition: "d" } as const;

/** What a setting becomes by each of the ways to change it, or why it does not. */
async function change(saved: unknown) {
	const written: unknown[] = [];
	const update = async (_: string, value: unknown) => void written.push(value);
	const loaded = await loadOverPaper<typeof settings>(["extension/facts/settings.ts"], {
		ConfigurationTarget: {},
		workspace: { getConfiguration: () => ({ inspect: () => ({ globalValue: saved }), update }) },
	});
	const changes = [
		() => loaded.writeRules([RULE]),
		() => loaded.removeRules([RULE]),
		() => loaded.writeHost("example.org"),
		() => loaded.removeHost("example.org"),
		() => loaded.writeReading(["/srv"]),
		() => loaded.writeServerTool(TOOL),
		() => loaded.removeServerTool(TOOL),
	];
	const refusals: string[] = [];
	for (const run of changes) await run().catch(({ message }: Error) => void refusals.push(message));
	return { written, refusals };
}

test("a list that the user wrote in another form is not overwritten by a rule that is added or removed", async () => {
	const { written, refusals } = await change({ prefix: ["rm"], decision: "deny" });
	assert.deepEqual(written, []);
	assert.equal(refusals.length, 7);
	assert.equal(refusals[0], "The setting vitrine.permissions.rules is not a list. Correct it first.");
});

test("a list keeps what is in it, and begins where there is none", async () => {
	const other = { prefix: ["rm"], decision: "deny" };
	const { written, refusals } = await change([other]);
	assert.deepEqual(refusals, []);
	assert.deepEqual(written[0], [other, RULE]);
	assert.deepEqual((await change(undefined)).written[0], [RULE]);
});
