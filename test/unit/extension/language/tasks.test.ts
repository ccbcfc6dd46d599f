import assert from "node:assert/strict";
import { test } from "node:test";
import { taskList } from "../../../../agent-host/protocol/host/language.ts";
import type { listTasks } from "../../../../extension/language/tasks.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

class ShellExecution {
	readonly commandLine: string;
	constructor(commandLine: string) {
		this.commandLine = commandLine;
	}
}

test("an overlong task of a repository does not hide the others", async () => {
	const tasks = [
		{ name: "x".repeat(501), execution: new ShellExecution("make") },
		{ name: "long", execution: new ShellExecution("x".repeat(100_001)) },
		{ name: "build", execution: new ShellExecution("make") },
	];
	const loaded = await loadOverPaper<{ readonly listTasks: typeof listTasks }>(["extension/language/tasks.ts"], {
		...{ ShellExecution, ProcessExecution: class {}, tasks: { fetchTasks: async () => tasks } },
		workspace: { isTrusted: true, workspaceFolders: [{ uri: { fsPath: "/app" } }] },
	});
	const listed = taskList.result.parse(await loaded.listTasks());
	assert.deepEqual(listed.tasks, [{ name: "build", command: "make", cwd: "/app" }]);
});
