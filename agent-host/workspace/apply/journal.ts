import * as z from "zod";
import type { Folder } from "./folder-port.ts";
import { hashBytes } from "./hash-bytes.ts";

/** One name that a patch changes. `before` or `after` is absent if there is no file. */
const Step = z.object({
	root: z.string(),
	folder: z.string(),
	name: z.string(),
	before: z.string().optional(),
	after: z.string().optional(),
	/** The new content beside the file, until it gets the file's name. */
	temp: z.string(),
	/** A second name of the old file, until the patch is done. */
	backup: z.string(),
});
export type Step = Readonly<z.infer<typeof Step>>;

/** Everything needed to finish or undo a patch. Persisted: fields are never renamed. */
const JournalPlan = z.object({
	version: z.literal(1),
	steps: z.array(Step),
	/** Folders that did not exist, outermost first. */
	made: z.array(z.object({ root: z.string(), folder: z.string(), name: z.string() })),
});
export type JournalPlan = Readonly<z.infer<typeof JournalPlan>>;

/** `begun`: no file has changed. `committed`: all files will become new. `undone`: all will become old. */
export type JournalState = "begun" | "committed" | "undone";

export interface JournalEntry {
	readonly id: string;
	readonly plan: JournalPlan;
	readonly state: JournalState;
}

export interface Unfinished {
	readonly entries: readonly JournalEntry[];
	/** Plans that cannot be read, although files may have changed; they stay where they are. */
	readonly unreadable: readonly string[];
}

/** A log of running patches, so that a crash leaves no file halfway. */
export interface Journal {
	readonly begin: (id: string, plan: JournalPlan) => Promise<void>;
	readonly mark: (id: string, state: Exclude<JournalState, "begun">) => Promise<void>;
	readonly end: (id: string) => Promise<void>;
	/** Patches that were begun and never ended. */
	readonly unfinished: () => Promise<Unfinished>;
	/** Stores bytes that fit nowhere else; returns where. */
	readonly keep: (name: string, bytes: Uint8Array) => Promise<string>;
}

/** For when no folder is writable: all or nothing only while the process lives. */
export const NO_JOURNAL: Journal = {
	begin: async () => undefined,
	mark: async () => undefined,
	end: async () => undefined,
	unfinished: async () => ({ entries: [], unreadable: [] }),
	keep: async () => "",
};

const PLAN = ".plan";
const MARKS = { committed: ".committed", undone: ".undone" } as const;
const MAX_PLAN_BYTES = 4_000_000;

/** A patch is a plan file, and a mark beside it for each state it reached: names appear completely or not at all. */
export function createJournal(folder: Folder): Journal {
	const remove = (name: string) => folder.remove(name).catch(ignoreMissing);
	return {
		begin: async (id, plan) => {
			const text = JSON.stringify(plan);
			await folder.create(id + PLAN, Buffer.from(`${hashBytes(Buffer.from(text))}\n${text}`), "private");
			await folder.sync();
		},
		mark: async (id, state) => {
			await folder.create(id + MARKS[state], new Uint8Array(), "private");
			await folder.sync();
		},
		end: async (id) => {
			// The plan first: marks without a plan mean nothing, a plan without its marks would mean something else.
			await remove(id + PLAN);
			await folder.sync();
			await Promise.all(Object.values(MARKS).map((mark) => remove(id + mark)));
		},
		unfinished: async () => {
			const names = new Set(await folder.list());
			const ids = [...names].filter((name) => name.endsWith(PLAN)).map((name) => name.slice(0, -PLAN.length));
			const entries: JournalEntry[] = [];
			const unreadable: string[] = [];
			for (const id of ids.toSorted()) {
				const has = (state: keyof typeof MARKS) => names.has(id + MARKS[state]);
				const plan = await folder.read(id + PLAN, MAX_PLAN_BYTES).then(readPlan, () => "damaged" as const);
				if (typeof plan !== "string")
					entries.push({ id, plan, state: has("undone") ? "undone" : has("committed") ? "committed" : "begun" });
				// Torn while it was written: nothing had begun. A mark comes only after a complete plan.
				else if (plan === "torn" && !has("undone") && !has("committed")) await remove(id + PLAN);
				else if (plan !== "later") unreadable.push(`${folder.path}/${id}${PLAN}`);
			}
			return { entries, unreadable };
		},
		keep: async (name, bytes) => {
			await folder.create(name, bytes, "private").catch(ignoreTaken);
			return `${folder.path}/${name}`;
		},
	};
}

/** A plan of a later release is left for that release. */
function readPlan(bytes: Uint8Array): JournalPlan | "torn" | "later" {
	const text = Buffer.from(bytes).toString("utf8");
	const end = text.indexOf("\n");
	const body = text.slice(end + 1);
	if (end < 0 || text.slice(0, end) !== hashBytes(Buffer.from(body))) return "torn";
	const plan = JournalPlan.safeParse(JSON.parse(body));
	return plan.success ? plan.data : "later";
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
	if (error.code !== "ENOENT") throw error;
}

function ignoreTaken(error: NodeJS.ErrnoException): void {
	if (error.code !== "EEXIST") throw error;
}
