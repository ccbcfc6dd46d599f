import assert from "node:assert/strict";
import { test } from "node:test";
import { ClientSettings } from "../../../agent-host/protocol/settings/client-settings.ts";
import { PartialSettings, Settings } from "../../../agent-host/protocol/settings/settings.ts";

/** A value with a key that is no setting, and where it is. */
const MISSPELT: readonly (readonly [value: unknown, place: string])[] = [
	[{ modle: { id: "x" } }, "modle"],
	[{ model: { name: "x" } }, "model.name"],
	[{ permissions: { mode: "ask", netwrok: "on" } }, "permissions.netwrok"],
	[{ permissions: { limits: { cpu: 1 } } }, "permissions.limits.cpu"],
	[
		{ permissions: { filesystem: [{ path: "/a", access: "read", recursive: true }] } },
		"permissions.filesystem.0.recursive",
	],
	[{ budgets: { turn: { dollars: 1 } } }, "budgets.turn.dollars"],
	[{ model: { prices: { x: { input: 1, output: 1, extra: 1 } } } }, "model.prices.x.extra"],
	[JSON.parse('{"__proto__":{"approval":"never"}}'), "__proto__"],
];

for (const [value, place] of MISSPELT) {
	test(`a client is told that ${place} is not a setting`, () => {
		const parsed = ClientSettings.safeParse(value);
		assert.deepEqual(
			parsed.error?.issues.map(({ path, message }) => `${path.join(".")} ${message}`),
			[`${place} is not a setting`],
		);
	});
}

test("every existing setting is accepted with its default", () => {
	const whole = Settings.parse({ model: { reasoningEffort: "low", verbosity: "low" } });
	assert.deepEqual(ClientSettings.parse(whole), whole);
	assert.deepEqual(ClientSettings.parse({}), {});
});

test("a record of a release that knows more settings is still read", () => {
	assert.deepEqual(PartialSettings.parse({ approval: "never", later: { x: 1 } }), { approval: "never" });
});
