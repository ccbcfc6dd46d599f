import { writeFileSync } from "node:fs";
import { CASES, type InEditorCase } from "./cases.ts";
import type { CaseResult } from "./report.ts";

/** Entry of the bundle: VS Code calls this in its extension host and takes a rejection as "tests failed". */
export async function run(): Promise<void> {
	const results: CaseResult[] = [];
	for (const each of CASES) results.push(await runCase(each));
	const file = process.env.VITRINE_TEST_REPORT;
	if (file === undefined) throw new Error("VITRINE_TEST_REPORT names no file.");
	writeFileSync(file, JSON.stringify(results, null, "\t"));
	const failed = results.filter(({ problem }) => problem !== undefined);
	if (failed.length > 0) throw new Error(`${failed.length} of ${results.length} cases failed.`);
}

async function runCase({ title, run: body }: InEditorCase): Promise<CaseResult> {
	try {
		await body();
		return { title };
	} catch (error) {
		return { title, problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
	}
}
