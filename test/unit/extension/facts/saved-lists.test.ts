import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommandRule } from "../../../../agent-host/protocol/settings/policy-settings.ts";
import type * as settings from "../../../../extension/facts/settings.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

const RULE: CommandRule = { prefix: ["npm", "test"], decision: "allow" };
const TOOL = { server: "docs", tool: "find", definition: "d" } as const;

/** The settings, each with this value, and what is written to them. */
async function load(saved: unknown) {
	const written: unknown[] = [];
	const update = async (_: string, value: unknown) => void written.push(value);
	const loaded = await loadOverPaper<typeof settings>(["extension/facts/settings.ts"], {
		ConfigurationTarget: {},
		workspace: { getConfiguration: () => ({ inspect: () => ({ globalValue: saved }), update }) },
	});
	return { loaded, written };
}

/** The setting after each way to change it, or the reason why it stays. */
async function change(saved: unknown) {
	const { loaded, written } = await load(saved);
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

test("a list keeps its entries, and is created if there is none", async () => {
	const other = { prefix: ["rm"], decision: "deny" };
	const { written, refusals } = await change([other]);
	assert.deepEqual(refusals, []);
	assert.deepEqual(written[0], [other, RULE]);
	assert.deepEqual((await change(undefined)).written[0], [RULE]);
});

test("providers that the user wrote in another form are not overwritten by one that is set up, and no model is chosen", async () => {
	const refusal = "The setting vitrine.providers is not an object. Correct it first.";
	for (const saved of [[{ name: "mine", baseUrl: "https://models.example/v1" }], "groq", 7]) {
		const { loaded, written } = await load(saved);
		await assert.rejects(loaded.writeProviderModel("groq", {}, "m"), { message: refusal });
		assert.deepEqual(written, []);
	}
});

test("a provider that is set up joins the user's own, and an existing one with its name stays", async () => {
	const mine = { baseUrl: "https://models.example/v1" };
	const written = async (saved: unknown) => {
		const { loaded, written: all } = await load(saved);
		await loaded.writeProviderModel("groq", {}, "m");
		return all;
	};
	assert.deepEqual(await written({ mine }), [{ mine, groq: {} }, "groq/m"]);
	assert.deepEqual(await written({ groq: mine }), ["groq/m"]);
	assert.deepEqual(await written(undefined), [{ groq: {} }, "groq/m"]);
});

test("what is allowed for good in two answers at once is all kept", async () => {
	const saved: Record<string, unknown> = {};
	const { writeRules, writeHost } = await loadOverPaper<typeof settings>(["extension/facts/settings.ts"], {
		ConfigurationTarget: {},
		workspace: {
			getConfiguration: (section?: string) => ({
				inspect: (id: string) => ({ globalValue: saved[id] }),
				// The editor writes its file before it tells the new value.
				update: async (key: string, value: unknown) => {
					await new Promise((resolve) => setImmediate(resolve));
					saved[`${section}.${key}`] = value;
				},
			}),
		},
	});
	const other: CommandRule = { prefix: ["npm", "run", "lint"], decision: "allow" };
	await Promise.all([writeRules([RULE]), writeRules([other]), writeHost("a.example"), writeHost("b.example")]);
	assert.deepEqual(saved, {
		"vitrine.permissions.rules": [RULE, other],
		"vitrine.permissions.allowedDomains": ["a.example", "b.example"],
	});
});
