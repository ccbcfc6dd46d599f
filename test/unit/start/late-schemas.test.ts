import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import * as esbuild from "esbuild";
import * as zod from "zod";
import * as CATALOG from "../../../agent-host/protocol/catalog.ts";
import * as late from "../../../agent-host/start/late-schemas.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** A shape that counts how often it was looked at, which Zod does when it builds an object. */
function countingShape() {
	const seen = { times: 0 };
	const shape = {
		get name() {
			seen.times += 1;
			return late.string().min(1);
		},
	};
	return { seen, shape };
}

test("a schema is built when it is first used, and once", () => {
	const { seen, shape } = countingShape();
	const Named = late.object(shape);
	const Names = late.array(Named.optional()).max(2).default([]).describe("Some names");
	assert.equal(seen.times, 0);
	assert.deepEqual(Names.parse([{ name: "a" }, undefined]), [{ name: "a" }, undefined]);
	const built = seen.times;
	assert.ok(built > 0);
	assert.equal(Named.safeParse({ name: "" }).success, false);
	assert.equal(Names.safeParse([{ name: 1 }]).success, false);
	assert.equal(seen.times, built);
});

test("a late schema is what Zod would make at once: its class, its parts and its JSON schema", () => {
	const Kind = late.enum(["a", "b"]);
	const One = late.object({ kind: late.literal("one"), of: Kind.optional() });
	const Either = late.discriminatedUnion("kind", [One, late.object({ kind: late.literal("two") })]);
	assert.ok(One instanceof zod.ZodObject);
	assert.ok(!(One instanceof zod.ZodArray));
	assert.deepEqual(Kind.options, ["a", "b"]);
	assert.deepEqual(
		Either.options.map(({ shape }) => shape.kind.value),
		["one", "two"],
	);
	assert.ok(One.shape.of.unwrap() instanceof zod.ZodEnum);
	assert.deepEqual(
		late.toJSONSchema(Either),
		zod.toJSONSchema(
			zod.discriminatedUnion("kind", [
				zod.object({ kind: zod.literal("one"), of: zod.enum(["a", "b"]).optional() }),
				zod.object({ kind: zod.literal("two") }),
			]),
		),
	);
});

test("every message of the protocol has the same schema whether it is built at once or late", async () => {
	const { outputFiles } = await esbuild.build({
		stdin: {
			contents: 'export * from "./agent-host/protocol/catalog.ts"; export { toJSONSchema } from "zod";',
			resolveDir: ROOT,
		},
		...{ bundle: true, write: false, format: "esm", platform: "node" },
		plugins: [
			{
				name: "late",
				setup: ({ onResolve }) =>
					onResolve({ filter: /^zod$/ }, ({ importer }) =>
						importer.endsWith("late-schemas.ts") ? undefined : { path: join(ROOT, "agent-host/start/late-schemas.ts") },
					),
			},
		],
	});
	const code = Buffer.from(outputFiles?.[0]?.contents ?? []).toString("base64");
	const bundle = await import(`data:text/javascript;base64,${code}`);
	assert.deepEqual(describe(bundle, bundle.toJSONSchema), describe(CATALOG, zod.toJSONSchema));
});

type Messages = Readonly<Record<string, { readonly params: zod.ZodType; readonly result?: zod.ZodType }>>;

function describe(
	{ HOST_METHODS, HOST_NOTIFICATIONS, CLIENT_METHODS, CLIENT_NOTIFICATIONS }: typeof CATALOG,
	toJSONSchema: typeof zod.toJSONSchema,
) {
	const all: Messages = { ...HOST_METHODS, ...HOST_NOTIFICATIONS, ...CLIENT_METHODS, ...CLIENT_NOTIFICATIONS };
	const schemaOf = (schema: zod.ZodType | undefined) =>
		schema && toJSONSchema(schema, { io: "input", unrepresentable: "any" });
	return Object.entries(all).map(([key, { params, result }]) => [key, schemaOf(params), schemaOf(result)]);
}

test("everything the host builds schemas with builds late ones", () => {
	const others = new Set(["config", "prettifyError", "toJSONSchema"]);
	const sources = globSync("agent-host/**/*.ts", { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), "utf8"));
	const used = sources.flatMap((text) => [...text.matchAll(/\bz\.([a-z]\w*)[(]/g)].map(([, name = ""]) => name));
	const both: readonly Readonly<Record<string, unknown>>[] = [late, zod];
	const [ours, theirs] = both;
	const early = [...new Set(used)].filter((name) => !others.has(name) && ours?.[name] === theirs?.[name]);
	assert.ok(used.includes("object"));
	assert.deepEqual(early, []);
});
