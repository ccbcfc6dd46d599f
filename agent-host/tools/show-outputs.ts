import * as z from "zod";
import type { Cell } from "../patch/notebook/read-notebook.ts";

/** Limits of what is shown of the outputs of one cell, and of all of them. */
const MAX_CELL_CHARS = 4_000;
const MAX_CHARS = 20_000;

const Text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(""))]);

const Output = z.discriminatedUnion("output_type", [
	z.object({ output_type: z.literal("stream"), text: Text }),
	z.object({ output_type: z.literal("error"), ename: z.string().default("Error"), evalue: z.string().default("") }),
	z.object({ output_type: z.enum(["execute_result", "display_data"]), data: z.record(z.string(), z.unknown()) }),
]);

/** The outputs of a notebook's cells, as text where they have one; of others, the type is named. */
export function showOutputs(cells: readonly Cell[]): string {
	const shown = cells.flatMap(({ name, outputs }) => {
		const text = outputs.flatMap((output) => showOutput(output) ?? []).join("\n");
		return text === "" ? [] : [`Output of cell ${name}:\n${cut(text, MAX_CELL_CHARS)}`];
	});
	return cut(shown.join("\n"), MAX_CHARS);
}

function showOutput(value: unknown): string | undefined {
	const output = Output.safeParse(value).data;
	switch (output?.output_type) {
		case undefined:
			return undefined;
		case "stream":
			return output.text.trimEnd();
		case "error":
			return `${output.ename}: ${output.evalue}`;
		case "execute_result":
		case "display_data": {
			const { "text/plain": plain, ...others } = output.data;
			const types = Object.keys(others).join(", ");
			const text = Text.safeParse(plain).data ?? "";
			return types === "" ? text : `${text} [${types}]`.trimStart();
		}
	}
}

function cut(text: string, most: number): string {
	return text.length <= most ? text : `${text.slice(0, most)} [… ${text.length - most} more characters]`;
}
