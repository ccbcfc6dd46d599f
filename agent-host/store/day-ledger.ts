import { join } from "node:path";
import type { Spent } from "../protocol/events.ts";
import { addSpent, NOTHING_SPENT, spentLine, sumLines } from "../spending/spent.ts";
import { type Home, makeFolders } from "./home.ts";

const FOLDER = "spending";
const DAY = /^\d{4}-\d{2}-\d{2}\.jsonl$/;
/** Files of earlier days that stay. */
const KEPT_DAYS = 7;

/** What all hosts of this home have spent on a day, in a file that each of them only appends to. */
export interface DayLedger {
	/** A disk that refuses costs the other windows this amount; this host goes on counting it. */
	readonly add: (day: string, spent: Spent) => Promise<void>;
	/** Rejects when the file is there and cannot be read: then nobody knows what is left. */
	readonly total: (day: string) => Promise<Spent>;
}

export function openDayLedger({ disk, folder, problem }: Home): DayLedger {
	const place = join(folder, FOLDER);
	const unsaved = new Map<string, Spent>();
	let opened: string | undefined;
	/** Once a day: the folder, and room in it. */
	const openDay = async (day: string): Promise<void> => {
		if (opened === day) return;
		await makeFolders(disk, place);
		const days = (await disk.list(place)).filter((name) => DAY.test(name)).sort();
		for (const name of days.slice(0, -KEPT_DAYS)) await disk.remove(join(place, name)).catch(() => undefined);
		opened = day;
	};
	const append = async (day: string, spent: Spent): Promise<void> => {
		if (problem !== undefined) throw new Error(problem);
		await openDay(day);
		const file = await disk.openAppend(join(place, `${day}.jsonl`));
		try {
			// One call, so that two windows never write into each other's lines.
			await file.write(Buffer.from(spentLine(spent)));
		} finally {
			await file.close();
		}
	};
	return {
		add: (day, spent) =>
			append(day, spent).catch(() => {
				unsaved.set(day, addSpent(unsaved.get(day) ?? NOTHING_SPENT, spent));
			}),
		total: async (day) => {
			const path = join(place, `${day}.jsonl`);
			const found = problem === undefined ? await disk.stat(path) : undefined;
			const saved = found === undefined ? NOTHING_SPENT : sumLines((await disk.read(path)).toString());
			return addSpent(saved, unsaved.get(day) ?? NOTHING_SPENT);
		},
	};
}
