import { join } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { PROJECT } from "./editor-paths.ts";

export interface Counts {
	readonly passed: number;
	readonly failed: number;
}

export interface FileReport {
	readonly counts: Counts;
	/** What failed, or one line when nothing did. */
	readonly lines: readonly string[];
}

type TestResult = Extract<TestEvent, { readonly type: "test:pass" | "test:fail" }>;

export const NOTHING: Counts = { passed: 0, failed: 0 };
export const ONE_FAILED: Counts = { passed: 0, failed: 1 };
/** What node says of an error that came when its test had ended. */
const LATE_ERROR = /^(?:Error|Warning): /;

export function addCounts(a: Counts, b: Counts): Counts {
	return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}

/** Sums up the tests of a file. A test that was not run counts as failed. */
export async function reportTests(
	file: string,
	events: AsyncIterable<TestEvent>,
	onBegin: (name: string) => void,
): Promise<FileReport> {
	let counts = NOTHING;
	const lines: string[] = [];
	const groups = createGroupFinder();
	for await (const event of events) {
		switch (event.type) {
			case "test:dequeue":
				onBegin(event.data.name);
				break;
			case "test:pass":
			case "test:fail": {
				const problem = findProblem(event, groups(event));
				if (problem === "group") break;
				counts = addCounts(counts, problem === undefined ? { passed: 1, failed: 0 } : ONE_FAILED);
				if (problem !== undefined) lines.push(`✖ ${placeOf(event, file)} ${event.data.name}\n${indent(problem)}`);
				break;
			}
			case "test:diagnostic":
				if (event.data.file !== undefined || LATE_ERROR.test(event.data.message)) lines.push(event.data.message);
				break;
			case "test:summary":
				if (counts.failed > 0) break;
				if (event.data.success) lines.push(`✔ ${file} (${(event.data.duration_ms / 1_000).toFixed(1)} s)`);
				else {
					counts = addCounts(counts, ONE_FAILED);
					lines.push(`✖ ${file} failed outside its tests`);
				}
				break;
		}
	}
	return { counts, lines };
}

/** Why this result is not a pass; "group" when it only sums up the tests below it, which were counted already. */
function findProblem({ type, data }: TestResult, hasChildren: boolean): string | "group" | undefined {
	if (data.skip !== undefined && data.skip !== false) return `was skipped: ${data.skip}`;
	if (data.todo !== undefined && data.todo !== false) return `is still to do: ${data.todo}`;
	if (type === "test:fail") {
		return failureOf(data.details.error) === "subtestsFailed" ? "group" : describeError(data.details.error);
	}
	if (hasChildren || data.details.type === "suite") return "group";
	// A file with no test in it is itself reported as one that passed.
	return data.name === data.file ? "holds no test" : undefined;
}

/** Children are reported before their parent, so a result with results one level below it since its last sibling is a group. */
function createGroupFinder(): (result: TestResult) => boolean {
	const open = new Set<number>();
	return ({ data: { nesting } }) => {
		const hasChildren = open.delete(nesting + 1);
		open.add(nesting);
		return hasChildren;
	};
}

function failureOf(error: object): unknown {
	return "failureType" in error ? error.failureType : undefined;
}

function describeError(error: Error): string {
	const cause = error.cause ?? error;
	return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}

function placeOf({ data }: TestResult, file: string): string {
	// A test that a helper declares is found by its title; the helper's line says nothing.
	return data.file === join(PROJECT, file) ? `${file}:${data.line ?? 1}` : file;
}

function indent(text: string): string {
	return text.replaceAll(/^/gm, "    ");
}
