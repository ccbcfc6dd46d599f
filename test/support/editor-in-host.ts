import { existsSync, globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CaseResult } from "../editor/in-editor/report.ts";
import { type Editor, startEditor } from "./editor.ts";
import { openBrowser } from "./editor-browser.ts";
import { tellFailure } from "./editor-report.ts";
import { until } from "./editor-until.ts";

const RUN_MS = 120_000;

/** Runs a test bundle inside the extension host of a real VS Code, and gives what each of its cases said. */
export async function runInHost(vsix: string, bundle: string): Promise<readonly CaseResult[]> {
	const report = `${bundle}.report-${process.pid}.json`;
	const editor = await startEditor({
		vsix,
		beside: [join(import.meta.dirname, "../editor/test-models")],
		// The keys that the editor binds are those of its extensions as well.
		builtIn: "all",
		// For the case about the editor's own chat.
		settings: { "security.workspace.trust.enabled": false, "chat.disableAIFeatures": false },
		env: { VITRINE_TEST_REPORT: report },
		// Without the driver a built workbench ignores the payload, and says nothing about it.
		args: ["--vscode-option", "enable-smoke-test-driver"],
	});
	try {
		await runBundle(editor, bundle);
		// Our own entry wrote it; the shape is shared by type.
		return JSON.parse(readFileSync(report, "utf8")) as readonly CaseResult[];
	} finally {
		rmSync(report, { force: true });
		await editor.stop();
	}
}

async function runBundle(editor: Editor, bundle: string): Promise<void> {
	const { context, url, close } = await openBrowser(editor.url);
	try {
		const page = await context.newPage();
		let exitCode: number | undefined;
		await page.exposeFunction("codeAutomationExit", (code: number) => {
			exitCode = code;
		});
		const folder = editor.folder({ "README.md": "# In the editor\n" });
		await page.goto(
			`${url}/?${new URLSearchParams({ folder, payload: payloadFor(editor, new URL(url).host, bundle) })}`,
		);
		await until("the tests in the extension host end", () => exitCode !== undefined, RUN_MS);
	} catch (error) {
		throw await tellFailure(error, "inside the extension host", { editor, context });
	} finally {
		await close();
	}
}

function payloadFor(editor: Editor, host: string, bundle: string): string {
	const remote = (path: string) => `vscode-remote://${host}${path}`;
	return JSON.stringify([
		["extensionDevelopmentPath", remote(installedFolder(editor))],
		["extensionTestsPath", remote(bundle)],
	]);
}

/** The unpacked .vsix, so that what is tested is what is shipped. */
function installedFolder(editor: Editor): string {
	const [name] = globSync("vitrine.vitrine-*", { cwd: editor.extensions });
	const folder = join(editor.extensions, name ?? "");
	if (name === undefined || !existsSync(folder)) throw new Error("The extension was not installed.");
	return folder;
}
