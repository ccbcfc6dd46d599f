import type { ReportedStep } from "../../agent-host/protocol/thread/plan.ts";
import { isChoice } from "./is-choice.ts";

/** A step of a plan: a line of its list, where its box is or belongs, and its words. */
export interface PlanStep {
	readonly line: number;
	/** Column of the box, or of the words if there is none. */
	readonly column: number;
	/** The box with the space behind it, or nothing. */
	readonly box: string;
	readonly text: string;
}

/** A change of one line: `length` characters at `column` become `text`. */
export interface LineEdit {
	readonly line: number;
	readonly column: number;
	readonly length: number;
	readonly text: string;
}

/** A list with fewer steps needs no plan. */
const MIN_STEPS = 2;
/** Shorter beginnings are shared by steps that have nothing to do with each other. */
const MIN_SHARED_CHARS = 12;

const BOXES: Readonly<Record<ReportedStep["status"], string>> = { pending: "[ ] ", running: "[-] ", done: "[x] " };
const STEP = /^( {0,3}(?:\d{1,3}[.)]|([-*+]))[ \t]+)(\[[ xX-]\][ \t]+)?(\S.*)$/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;
const FENCE = /^ {0,3}(?:```|~~~)/;

/** The steps of a plan in Markdown: the longest numbered or ticked list; without one it is no plan. */
export function readSteps(markdown: string): readonly PlanStep[] {
	const lists: PlanStep[][] = [[]];
	let isCode = false;
	for (const [line, words] of markdown.split(/\r?\n/).entries()) {
		if (FENCE.test(words)) isCode = !isCode;
		else if (isCode) continue;
		else if (HEADING.test(words)) lists.push([]);
		else {
			const step = readStep(words, line);
			if (step !== undefined) lists.at(-1)?.push(step);
		}
	}
	const longest = lists.reduce((a, b) => (b.length > a.length ? b : a));
	return longest.length < MIN_STEPS ? [] : longest;
}

function readStep(words: string, line: number): PlanStep | undefined {
	const [, start, bullet, box = "", text] = STEP.exec(words) ?? [];
	// A plain bullet is a remark.
	if (start === undefined || text === undefined || (bullet !== undefined && box === "")) return undefined;
	return { line, column: start.length, box, text: text.trimEnd() };
}

/** The answer of a model as a plan document: each step gets a box. Undefined if the answer contains no plan. */
export function toPlanDocument(answer: string): string | undefined {
	const steps = readSteps(answer);
	if (steps.length === 0 || isChoice(answer, steps)) return undefined;
	const boxes = steps.filter(({ box }) => box === "").map((step) => setBox(step, "pending"));
	return `${applyEdits(answer, boxes).trimEnd()}\n`;
}

/** What has to change in a plan document so that its boxes show what the model has reported. */
export function markProgress(markdown: string, reported: readonly ReportedStep[]): readonly LineEdit[] {
	const steps = readSteps(markdown);
	return steps.flatMap((step, index) => {
		const found = findReported(step, reported) ?? (steps.length === reported.length ? reported[index] : undefined);
		if (found === undefined || BOXES[found.status].trim() === step.box.trim().toLowerCase()) return [];
		return [setBox(step, found.status)];
	});
}

export function applyEdits(text: string, edits: readonly LineEdit[]): string {
	const lines = text.split("\n");
	for (const { line, column, length, text: replacement } of edits) {
		const before = lines[line] ?? "";
		lines[line] = before.slice(0, column) + replacement + before.slice(column + length);
	}
	return lines.join("\n");
}

function setBox({ line, column, box }: PlanStep, status: ReportedStep["status"]): LineEdit {
	return { line, column, length: box.length, text: BOXES[status] };
}

/** By the same words; else by the same beginning, if only one step has it. */
function findReported({ text }: PlanStep, reported: readonly ReportedStep[]): ReportedStep | undefined {
	const wanted = normalize(text);
	const same = reported.find((step) => normalize(step.text) === wanted);
	if (same !== undefined) return same;
	const similar = reported.filter((step) => sharesBeginning(normalize(step.text), wanted));
	return similar.length === 1 ? similar[0] : undefined;
}

function sharesBeginning(a: string, b: string): boolean {
	const length = Math.min(a.length, b.length);
	return length >= MIN_SHARED_CHARS && a.slice(0, length) === b.slice(0, length);
}

/** Only the letters and digits count, not how they are set. */
function normalize(text: string): string {
	return text
		.replace(/\]\([^)]*\)/g, "]")
		.replace(/[^\p{L}\p{N}]+/gu, " ")
		.trim()
		.toLowerCase();
}
