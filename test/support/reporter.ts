import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { PROJECT } from "./editor-paths.ts";

export interface Counts {
	readonly passed: number;
	readonly failed: number;
}

type TestResult = Extract<TestEvent, { readonly type: "test:pass" | "test:fail" }>;

const NOTHING: Counts = { passed: 0, failed: 0 };

export function addCounts(a: Counts, b: Counts): Counts {
	return { passed: a.passed + b.passed, failed: a.failed + b.failed };
}

/** Prints what failed, and one line for each file that passed. A test that was not run counts as failed. */
export async function reportTests(events: AsyncIterable<TestEvent>): Promise<Counts> {
	let counts = NOTHING;
	const groups = createGroupFinder();
	for await (const event of events) {
		switch (event.type) {
			case "test:pass":
			case "test:fail": {
				const problem = findProblem(event, groups(event));
				if (problem === "group") break;
				counts = addCounts(counts, problem === undefined ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 });
				if (problem !== undefined) console.log(`✖ ${placeOf(event)} ${event.data.name}\n${indent(problem)}`);
				break;
			}
			case "test:stdout":
			case "test:stderr":
				process.stdout.write(event.data.message);
				break;
			case "test:diagnostic":
				// Such as an error that was thrown after its test had ended.
				if (event.data.file !== undefined) console.log(event.data.message);
				break;
			case "test:summary":
				if (event.data.file !== undefined && event.data.success) {
					console.log(`✔ ${shorten(event.data.file)} (${(event.data.duration_ms / 1_000).toFixed(1)} s)`);
				}
				break;
		}
	}
	return counts;
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
	const open = new Set<string>();
	return (result) => {
		const { nesting } = result.data;
		const level = (depth: number) => `${depth} ${entryOf(result)}`;
		const hasChildren = open.delete(level(nesting + 1));
		open.add(level(nesting));
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

function placeOf(result: TestResult): string {
	const { file, line } = result.data;
	const entry = entryOf(result);
	// A test that a helper declares is found by its title; the helper's line says nothing.
	return entry === file ? `${shorten(entry)}:${line ?? 1}` : shorten(entry);
}

/** The test file, even when the test was declared in a file that it imports. */
function entryOf({ data }: TestResult): string {
	return "entryFile" in data && typeof data.entryFile === "string" ? data.entryFile : (data.file ?? "");
}

function shorten(file: string): string {
	return relative(PROJECT, file);
}

function indent(text: string): string {
	return text.replaceAll(/^/gm, "    ");
}
