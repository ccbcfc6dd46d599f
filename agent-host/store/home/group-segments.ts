import { join } from "node:path";

const NAME = /^(.+\.jsonl)(?:\.([1-9]\d*))?$/;

/** The segments of every thread in a folder, oldest first, by the path of the thread's file. */
export function groupSegments(names: readonly string[], folder: string): ReadonlyMap<string, readonly string[]> {
	const numbers = new Map<string, number[]>();
	for (const entry of names) {
		const [, name, number = "1"] = NAME.exec(entry) ?? [];
		if (name === undefined) continue;
		const known = numbers.get(name);
		if (known === undefined) numbers.set(name, [Number(number)]);
		else known.push(Number(number));
	}
	return new Map(
		[...numbers].map(([name, all]) => {
			const path = join(folder, name);
			const ordered = [...new Set(all)].sort((a, b) => a - b);
			return [path, ordered.map((number) => (number === 1 ? path : `${path}.${number}`))];
		}),
	);
}
