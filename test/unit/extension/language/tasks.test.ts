import assert from "node:assert/strict";
import { test } from "node:test";
import { taskList } from "../../../../agent-host/protocol/host/language.ts";
import type { listTasks } from "../../../../extension/language/tasks.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

class ShellExecution {
	readonly commandLine: string;
	readonly options: object | undefined;
	constructor(commandLine: string, options?: object) {
		this.commandLine = commandLine;
		this.options = options;
	}
}

async function list(tasks: readonly object[]) {
	const loaded = await loadOverPaper<{ readonly listTasks: typeof listTasks }>(["extension/language/tasks.ts"], {
		...{ ShellExecution, ProcessExecution: class {}, tasks: { fetchTasks: async () => tasks } },
		workspace: { isTrusted: true, workspaceFolders: [{ uri: { fsPath: "/app" } }] },
	});
	return taskList.result.parse(await loaded.listTasks()).tasks;
}

test("an overlong task of a repository does not hide the others", async () => {
	const tasks = [
		{ name: "x".repeat(501), execution: new ShellExecution("make") },
		{ name: "long", execution: new ShellExecution("x".repeat(100_001)) },
		{ name: "build", execution: new ShellExecution("make") },
	];
	assert.deepEqual(await list(tasks), [{ name: "build", command: "make", cwd: "/app" }]);
});

test("the variables of a task come with it, and a task whose variables only the editor knows is not listed", async () => {
	const tasks = [
		{ name: "ci", execution: new ShellExecution("make", { env: { MODE: "ci", OUT: `\${workspaceFolder}/out` } }) },
		{ name: "key", execution: new ShellExecution("make", { env: { KEY: `\${input:key}` } }) },
		{ name: "odd", execution: new ShellExecution("make", { env: { "A; rm -r .": "1" } }) },
	];
	const variables = { MODE: "ci", OUT: "/app/out" };
	assert.deepEqual(await list(tasks), [{ name: "ci", command: "make", cwd: "/app", variables }]);
});
