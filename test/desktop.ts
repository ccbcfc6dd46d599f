// Runs the in-editor tests in VS Code for the desktop, which the other tests cannot reach. Usage: npm run test:desktop
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { downloadAndUnzipVSCode, runTests } from "@vscode/test-electron";
import type { CaseResult } from "./editor/in-editor/report.ts";
import { buildInEditor } from "./support/build-in-editor.ts";
import { PROJECT } from "./support/editor-paths.ts";
import { buildExtension } from "./support/pack.ts";

async function main(): Promise<number> {
	const vscodeExecutablePath = process.env.VSCODE_PATH ?? (await download());
	if (vscodeExecutablePath === undefined) return 1;
	buildExtension();
	const home = mkdtempSync(join(tmpdir(), "vitrine-"));
	try {
		const report = join(home, "report.json");
		const failed = await runTests({
			vscodeExecutablePath,
			extensionDevelopmentPath: PROJECT,
			extensionTestsPath: await buildInEditor(),
			extensionTestsEnv: { VITRINE_TEST_REPORT: report },
			launchArgs: [
				join(PROJECT, "test", "sample-workspace"),
				"--disable-extensions",
				"--disable-workspace-trust",
				`--user-data-dir=${join(home, "data")}`,
				`--extensions-dir=${join(home, "extensions")}`,
			],
		}).then(
			() => false,
			(error: unknown) => {
				console.error(error);
				return true;
			},
		);
		printReport(report);
		return failed ? 1 : 0;
	} finally {
		rmSync(home, { recursive: true, force: true, maxRetries: 5 });
	}
}

async function download(): Promise<string | undefined> {
	try {
		return await downloadAndUnzipVSCode({ cachePath: join(PROJECT, "out", "desktop"), version: "stable" });
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		console.error(`VS Code could not be downloaded (${reason}); set VSCODE_PATH to an installed one.`);
		return undefined;
	}
}

function printReport(file: string): void {
	// Our own entry wrote it; the shape is shared by type.
	const results = JSON.parse(readFileSync(file, "utf8")) as readonly CaseResult[];
	for (const { title, problem } of results)
		console.log(problem === undefined ? `✔ ${title}` : `✖ ${title}\n${problem}`);
}

process.exitCode = await main();
