import { join } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { PROJECT } from "../support/editor-paths.ts";
import type { Failure } from "./report.ts";

/** What came of the tests of one file. */
export interface FileReport {
	readonly passed: number;
	readonly failures: readonly Failure[];
}

type TestResult = Extract<TestEvent, { readonly type: "test:pass" | "test:fail" }>;

/** What node says of an error that came when its test had ended. */
const LATE_ERROR = /^(?:Error|Warning): /;
const MAX_NOTES = 40;

/** Sums up the tests of a file. A test that was not run counts as failed. */
export async function reportTests(
	file: string,
	events: AsyncIterable<TestEvent>,
	onBegin: (name: string) => void,
): Promise<FileReport> {
	let passed = 0;
	const failures: Failure[] = [];
	const notes: string[] = [];
	const hasChildren = createGroupFinder();
	for await (const event of events) {
		switch (event.type) {
			case "test:dequeue":
				onBegin(event.data.name);
				break;
			case "test:pass":
			case "test:fail": {
				const problem = findProblem(event, hasChildren(event));
				if (problem === "group") break;
				if (problem === undefined) passed += 1;
				else failures.push({ title: event.data.name, place: placeOf(event, file), problem });
				break;
			}
			case "test:diagnostic":
				if (event.data.file !== undefined || LATE_ERROR.test(event.data.message)) notes.push(event.data.message);
				break;
			case "test:summary":
				if (failures.length === 0 && !event.data.success) {
					failures.push({ title: "failed outside its tests", place: file, problem: "" });
				}
				break;
		}
	}
	return { passed, failures: withNotes(failures, notes) };
}

/** What the tests noted belongs to the last failure: most of it is what their processes said. */
function withNotes(failures: readonly Failure[], notes: readonly string[]): readonly Failure[] {
	const last = failures.at(-1);
	if (last === undefined || notes.length === 0) return failures;
	const problem = [last.problem, ...notes.slice(-MAX_NOTES)].filter((text) => text !== "").join("\n");
	return [...failures.slice(0, -1), { ...last, problem }];
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
