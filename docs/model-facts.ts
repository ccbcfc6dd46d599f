import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { EFFORT_LETTERS } from "../agent-host/model-facts/row.ts";

// The facts about models that the host embeds, from the committed snapshot (models.dev, MIT: facts only).

const Fact = z.object({
	window: z.int().min(1).optional(),
	output: z.int().min(1).optional(),
	images: z.boolean(),
	reasoning: z.boolean(),
	efforts: z.array(z.string()).optional(),
	price: z
		.object({
			input: z.number(),
			output: z.number(),
			cache_read: z.number().optional(),
			cache_write: z.number().optional(),
		})
		.optional(),
});

const Snapshot = z.object({
	asOf: z.iso.date(),
	source: z.string(),
	providers: z.record(z.string(), z.record(z.string(), Fact)),
});

/** Missing in the snapshot; as its maker listed it before. */
const ADDED: Readonly<Record<string, Readonly<Record<string, z.infer<typeof Fact>>>>> = {
	openai: {
		"gpt-5": {
			window: 400_000,
			output: 128_000,
			images: true,
			reasoning: true,
			efforts: ["minimal", "low", "medium", "high"],
			price: { input: 1.25, output: 10, cache_read: 0.125 },
		},
	},
};

/** The source of `agent-host/model-facts/table.ts`. */
export function factsModule(): string {
	const file = join(import.meta.dirname, "model-snapshot.json");
	const { asOf, providers } = Snapshot.parse(JSON.parse(readFileSync(file, "utf8")));
	const tables = Object.entries(providers).map(([name, models]) => {
		const rows = Object.entries({ ...ADDED[name], ...models })
			.toSorted(([a], [b]) => (a < b ? -1 : 1))
			.map(writeRow);
		return `\t${/^\w+$/.test(name) ? name : JSON.stringify(name)}: \`\n${rows.join("\n")}\`,\n`;
	});
	return [
		"// Generated from docs/model-snapshot.json by `npm run docs`. One model a line; `row.ts` says what the columns are.",
		"",
		"/** The day on which all of this was so. */",
		`export const FACTS_AS_OF = "${asOf}";`,
		"",
		"/** By the maker or gateway that says it of its own models. */",
		"export const TABLE = {",
		`${tables.join("")}} as const;`,
		"",
	].join("\n");
}

function writeRow([id, { window, output, images, reasoning, efforts, price }]: [string, z.infer<typeof Fact>]): string {
	const letters = (efforts ?? []).map((effort) => EFFORT_LETTERS.get(effort) ?? "").join("");
	const prices = price && [price.input, price.output, price.cache_read ?? "-", price.cache_write ?? "-"];
	const columns = [
		id,
		window ?? 0,
		output ?? 0,
		images ? "i" : "-",
		reasoning ? letters || "?" : "-",
		...(prices ?? []),
	];
	return columns.join(" ").replace(/(?: -)+$/, price === undefined ? "$&" : "");
}
