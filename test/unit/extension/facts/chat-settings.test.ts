import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { CHAT_CHOICES, readChatSettings } from "../../../../extension/facts/chat-settings.ts";

const DEFAULTS = Object.fromEntries(Object.entries(CHAT_CHOICES).map(([key, [first]]) => [key, first]));

interface Section {
	readonly properties: Readonly<Record<string, { readonly default: unknown; readonly enum?: readonly unknown[] }>>;
}

test("the panel takes each chat setting as it is set", () => {
	for (const [key, choices] of Object.entries(CHAT_CHOICES)) {
		for (const choice of choices) {
			assert.deepEqual(
				readChatSettings((asked) => (asked === key ? choice : undefined)),
				{ ...DEFAULTS, [key]: choice },
			);
		}
	}
});

test("an invalid value counts as unset", () => {
	for (const value of [undefined, null, 1, "", "sometimes", "true", {}, []]) {
		assert.deepEqual(
			readChatSettings(() => value),
			DEFAULTS,
		);
	}
});

test("the manifest offers exactly what the panel knows, with the same defaults", () => {
	const text = readFileSync(new URL("../../../../package.json", import.meta.url), "utf8");
	const sections: readonly Section[] = JSON.parse(text).contributes.configuration;
	const offered = sections
		.flatMap(({ properties }) => Object.entries(properties))
		.filter(([id]) => id.startsWith("vitrine.chat."))
		.map(([id, property]) => [
			id.replace("vitrine.chat.", ""),
			property.default,
			property.enum ?? [property.default, !property.default],
		]);
	assert.deepEqual(
		offered,
		Object.entries(CHAT_CHOICES).map(([key, choices]) => [key, choices[0], [...choices]]),
	);
});
