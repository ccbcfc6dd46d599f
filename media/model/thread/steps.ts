import type { ChatSettings } from "../../wire.ts";
import { isSettled } from "./command-report.ts";
import type { Entry, ToolEntry } from "./entry.ts";
import { FOLDED_PX } from "./estimate-height.ts";
import { mayDelete } from "./may-delete.ts";
import type { EntryRow, Row, StepsRow } from "./rows.ts";
import { readToolFacts } from "./tool-facts.ts";
import type { Transcript } from "./transcript.ts";

/** Fewer steps are as quick to read as the folded line. */
const MIN_FOLDED_STEPS = 3;

/**
 * Folds consecutive steps into one row, when the turn has ended or as the user has set it. What a person must see is
 * never folded.
 */
export function foldSteps(
	rows: readonly Row[],
	{ running, plan }: Pick<Transcript, "running" | "plan">,
	when: ChatSettings["foldSteps"],
): readonly Row[] {
	if (when === "never") return rows;
	const unfolded = when === "always" ? undefined : running?.turnId;
	const folded: Row[] = [];
	let run: EntryRow[] = [];
	const endRun = (): void => {
		folded.push(...(run.length < MIN_FOLDED_STEPS ? run : [stepsRow(run)]));
		run = [];
	};
	for (const row of rows) {
		const isFoldable =
			row.type === "entry" &&
			(row.key !== plan || (row.entry.turnId !== running?.turnId && isFinishedPlan(row.entry))) &&
			row.entry.turnId !== unfolded &&
			isStep(row.entry);
		if (!isFoldable || run[0]?.entry.turnId !== row.entry.turnId) endRun();
		if (isFoldable) run.push(row);
		else folded.push(row);
	}
	endRun();
	return folded;
}

/** Adds the steps of open lines; returns the previous list if nothing changed. */
export function showSteps(
	rows: readonly Row[],
	open: ReadonlySet<string>,
	before: readonly Row[] = [],
): readonly Row[] {
	const shown: Row[] = [];
	for (const row of rows) {
		shown.push(row);
		if (row.type === "steps" && areStepsOpen(row, open)) shown.push(...row.steps);
	}
	return shown.length === before.length && shown.every((row, index) => row === before[index]) ? before : shown;
}

/** A line is also open if one of its steps is. */
export function areStepsOpen({ key, steps }: StepsRow, open: ReadonlySet<string>): boolean {
	return open.has(key) || steps.some((step) => open.has(step.key));
}

/** The line that a step is folded into. */
export function findStepsAround(rows: readonly Row[], key: string): StepsRow | undefined {
	return rows.find((row): row is StepsRow => row.type === "steps" && row.steps.some((step) => step.key === key));
}

/** Entries are immutable, so the result is cached. */
const JUDGED = new WeakMap<Entry, boolean>();

function isStep(entry: Entry): boolean {
	const known = JUDGED.get(entry);
	if (known !== undefined) return known;
	const isThought = entry.kind === "reasoning" && entry.state !== "streaming";
	const judged = isThought || (entry.kind === "toolCall" && isQuietCall(entry));
	JUDGED.set(entry, judged);
	return judged;
}

/** A successful call of the model that deleted no files and left nothing to look after. */
function isQuietCall(entry: ToolEntry): boolean {
	if (entry.by === "user" || entry.agent !== undefined || !isSettled(entry)) return false;
	const facts = readToolFacts(entry);
	if (facts.kind === "findings") return false;
	if (facts.kind === "patch") return facts.files.every(({ operation }) => operation !== "delete");
	return facts.kind !== "command" || !mayDelete(facts.command);
}

/** With nothing left to do, even the newest plan is history. */
function isFinishedPlan(entry: Entry): boolean {
	const facts = entry.kind === "toolCall" ? readToolFacts(entry) : undefined;
	return facts?.kind === "plan" && facts.steps.every(({ state }) => state === "done");
}

/** Cached by first step, so that the row stays the same object while its steps do. */
const MADE = new WeakMap<EntryRow, { readonly run: readonly EntryRow[]; readonly row: StepsRow }>();

function stepsRow(run: readonly EntryRow[]): StepsRow {
	const [first] = run as readonly [EntryRow, ...EntryRow[]];
	const made = MADE.get(first);
	if (made?.run.length === run.length && made.run.every((row, index) => row === run[index])) return made.row;
	const steps = run.map((row) => ({ ...row, isFolded: true }) as const);
	const base = { type: "steps", kind: "steps", itemId: undefined, estimate: FOLDED_PX } as const;
	const entries = run.map(({ entry }) => entry);
	const row = { ...base, key: `${first.key}.steps`, steps, ms: measureDuration(entries) };
	MADE.set(first, { run, row });
	return row;
}

function measureDuration(entries: readonly Entry[]): number {
	const timed = entries.flatMap((entry) =>
		"startedAt" in entry && entry.startedAt !== undefined ? [[entry.startedAt, entry.ms ?? 0] as const] : [],
	);
	const start = Math.min(...timed.map(([startedAt]) => startedAt));
	return Math.max(...timed.map(([startedAt, ms]) => startedAt + ms - start), 0);
}
