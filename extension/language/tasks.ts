import * as vscode from "vscode";
import { MAX_TASKS, type taskList, WorkspaceTask } from "../../agent-host/protocol/host/language.ts";
import type { ResultOf } from "../../agent-host/protocol/method.ts";

/** The tasks of the workspace, with the command of each; none is run here. */
export async function listTasks(): Promise<ResultOf<typeof taskList>> {
	if (!vscode.workspace.isTrusted) return { tasks: [] };
	const tasks = await vscode.tasks.fetchTasks();
	const described = tasks.flatMap((task) => describeTask(task) ?? []);
	// One that the host would refuse must not take the others with it.
	return { tasks: described.filter((task) => WorkspaceTask.safeParse(task).success).slice(0, MAX_TASKS) };
}

/** Undefined for a task that runs code of an extension, or needs an answer that only the editor's own run asks for. */
function describeTask(task: vscode.Task): WorkspaceTask | undefined {
	const { name, group, execution, scope } = task;
	const folder = typeof scope === "object" ? scope.uri.fsPath : vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
	const fill = (text: string) => fillVariables(text, folder);
	const written = execution && writeCommand(execution);
	if (written === undefined) return undefined;
	const command = Array.isArray(written.command) ? fillAll(written.command, fill) : fill(written.command as string);
	const cwd = written.cwd === undefined ? folder : fill(written.cwd);
	const names = Object.keys(written.env ?? {});
	const values = fillAll(Object.values(written.env ?? {}), fill);
	if (command === undefined || values === undefined || (written.cwd !== undefined && cwd === undefined))
		return undefined;
	const variables = Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
	const kind = group?.id === "build" ? "build" : group?.id === "test" ? "test" : undefined;
	return { name, command, ...(kind && { group: kind }), ...(cwd && { cwd }), ...(names.length > 0 && { variables }) };
}

interface Written {
	readonly command: string | string[];
	readonly cwd: string | undefined;
	readonly env: Readonly<Record<string, string>> | undefined;
}

function writeCommand(execution: NonNullable<vscode.Task["execution"]>): Written | undefined {
	if (execution instanceof vscode.ProcessExecution) {
		return { command: [execution.process, ...execution.args], ...pickOptions(execution) };
	}
	if (!(execution instanceof vscode.ShellExecution)) return undefined;
	const { commandLine, command, args = [] } = execution;
	if (commandLine !== undefined) return { command: commandLine, ...pickOptions(execution) };
	if (command === undefined) return undefined;
	return { command: [command, ...args].map(quote).join(" "), ...pickOptions(execution) };
}

function pickOptions({ options }: vscode.ProcessExecution | vscode.ShellExecution): Omit<Written, "command"> {
	return { cwd: options?.cwd, env: options?.env };
}

/** As a shell reads it: a word with a quoting of its own is one word, any other is taken as it is. */
function quote(word: string | vscode.ShellQuotedString): string {
	if (typeof word === "string") return /\s/.test(word) && !/["'\\]/.test(word) ? `"${word}"` : word;
	return `'${word.value.replaceAll("'", "'\\''")}'`;
}

function fillAll(words: readonly string[], fill: (text: string) => string | undefined): string[] | undefined {
	const filled = words.map(fill);
	return filled.includes(undefined) ? undefined : (filled as string[]);
}

/** The only variables that mean the same without an editor. */
function fillVariables(text: string, folder: string | undefined): string | undefined {
	const known: Readonly<Record<string, string | undefined>> = { workspaceFolder: folder, cwd: folder };
	const filled = text.replaceAll(/\$\{(workspaceFolder|cwd)\}/g, (whole, name: string) => known[name] ?? whole);
	return /\$\{[a-zA-Z]+(?::[^}]*)?\}/.test(filled) ? undefined : filled;
}
