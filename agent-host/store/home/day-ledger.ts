import { join } from "node:path";
import type { Spent } from "../../protocol/thread/events.ts";
import { addSpent, NOTHING_SPENT, spentLine, sumLines } from "../../spending/spent.ts";
import type { AppendFile } from "./disk.ts";
import { type Home, makeFolders } from "./home.ts";

const FOLDER = "spending";
const DAY = /^\d{4}-\d{2}-\d{2}\.jsonl$/;
/** Number of earlier days whose files are kept. */
const KEPT_DAYS = 7;

/** The spending of all hosts of this home on a day, in a file that each of them only appends to. */
export interface DayLedger {
	/** If the disk fails, other windows do not see this amount; this host still counts it. */
	readonly add: (day: string, spent: Spent) => Promise<void>;
	/** Rejects if the file exists and cannot be read: then the remaining budget is unknown. */
	readonly total: (day: string) => Promise<Spent>;
	/** Closes the file; further spending opens it again. */
	readonly close: () => Promise<void>;
}

export function openDayLedger({ disk, folder, problem }: Home): DayLedger {
	const place = join(folder, FOLDER);
	const unsaved = new Map<string, Spent>();
	let today: { readonly day: string; readonly file: Promise<AppendFile> } | undefined;
	/** Once a day: creates the folder, removes old files, and opens the file. */
	const openDay = async (day: string): Promise<AppendFile> => {
		if (problem !== undefined) throw new Error(problem.text);
		await makeFolders(disk, place);
		const days = (await disk.list(place)).filter((name) => DAY.test(name)).sort();
		for (const name of days.slice(0, -KEPT_DAYS)) await disk.remove(join(place, name)).catch(() => undefined);
		return disk.openAppend(join(place, `${day}.jsonl`));
	};
	const closeDay = async (): Promise<void> => {
		const open = today?.file;
		today = undefined;
		await open?.then((file) => file.close()).catch(() => undefined);
	};
	const append = async (day: string, spent: Spent): Promise<void> => {
		if (today?.day !== day) {
			void closeDay();
			today = { day, file: openDay(day) };
		}
		try {
			const file = await today.file;
			// One call, so that two windows never write into each other's lines.
			await file.write(Buffer.from(spentLine(spent)));
		} catch (error) {
			void closeDay();
			throw error;
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
			// It was removed; further spending goes into a new file.
			if (found === undefined && today?.day === day) void closeDay();
			const saved = found === undefined ? NOTHING_SPENT : sumLines((await disk.read(path)).toString());
			return addSpent(saved, unsaved.get(day) ?? NOTHING_SPENT);
		},
		close: closeDay,
	};
}
