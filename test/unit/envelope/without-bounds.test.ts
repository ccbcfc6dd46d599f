import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutBounds } from "../../../agent-host/envelope/without-bounds.ts";
import { buildRequest } from "../../../agent-host/model/request.ts";
import { anEnvelope } from "../../support/an-envelope.ts";

const TEXT = { type: "string" };

test("bounds are removed from a schema at every depth, including those that break servers with grammars", () => {
	const schema = {
		type: "object",
		$schema: "http://json-schema.org/draft-07/schema#",
		properties: {
			title: { ...TEXT, maxLength: 100_000, pattern: "a+b" },
			list: { type: "array", maxItems: 5_000, items: { $schema: "x", ...TEXT, minLength: 1, format: "uri" } },
			size: { anyOf: [{ type: "number", exclusiveMinimum: 0, exclusiveMaximum: 9 }, { type: "null" }] },
			map: { type: "object", patternProperties: { "^x-": TEXT }, additionalProperties: false },
			odd: { ...TEXT, not: { pattern: "^a" } },
		},
		required: ["title"],
		$defs: { one: { type: "integer", minimum: 1, maximum: 2 } },
	};
	assert.deepEqual(withoutBounds(schema), {
		type: "object",
		properties: {
			title: TEXT,
			list: { type: "array", items: TEXT },
			size: { anyOf: [{ type: "number" }, { type: "null" }] },
			map: { type: "object" },
			odd: TEXT,
		},
		required: ["title"],
		$defs: { one: { type: "integer" } },
	});
});

test("an argument or type that is called like a bound stays, and so do values that look like one", () => {
	const schema = {
		type: "object",
		properties: {
			pattern: { ...TEXT, description: "What to find." },
			maxLength: { type: "integer" },
			properties: { type: "object", properties: { format: TEXT }, additionalProperties: false },
			rule: { enum: [{ pattern: "a" }, { minimum: 1 }], default: { pattern: "a" }, examples: [{ format: "b" }] },
			any: true,
		},
		required: ["pattern", "maxLength"],
		$defs: { format: { const: { maxItems: 1 } } },
	};
	assert.deepEqual(withoutBounds(schema), schema);
});

test("a request carries server tools without their bounds, and the envelope keeps them", () => {
	const parameters = { type: "object", properties: { pattern: { ...TEXT, pattern: "x", maxLength: 9 } } };
	const tool = { name: "s__t", server: "s", tool: "t", description: "Finds.", parameters, digest: "d" };
	const envelope = anEnvelope();
	const capabilities = { ...envelope.capabilities, serverTools: [tool] };
	const { tools } = buildRequest({ ...envelope, capabilities }, [], []);
	const sent = { type: "object", properties: { pattern: TEXT } };
	assert.deepEqual(tools, [{ name: "s__t", description: "Finds.", parameters: sent }]);
	assert.equal(parameters.properties.pattern.maxLength, 9);
});
