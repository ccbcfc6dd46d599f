import * as z from "zod";
import { oneLine } from "../permissions/words/one-line.ts";
import { PLATFORM } from "../platform/platform.ts";
import type { WorkspaceTask } from "../protocol/host/language.ts";
import { say } from "../protocol/say.ts";
import { touchesNothing } from "./apply-patch.ts";
import { cutLines } from "./list-places.ts";
import { NO_EDITOR } from "./locate-symbol.ts";
import { runCommand } from "./run-command.ts";
import { type CallFindings, defineTool } from "./tool.ts";

export const runTask = defineTool({
	name: "run_task",
	description: "Run a workspace task, such as build or test. Without name: list them.",
	needs: "task",
	input: z.object({ name: z.string().min(1).max(500).optional() }),
	kind: "command",
	title: ({ name }) => (name === undefined ? say("call-list-tasks") : say("call-run-task", { name })),
	async look({ name }, at, ports) {
		if (ports.language === undefined) return touchesNothing(NO_EDITOR);
		const told = await ports.language.tasks(new AbortController().signal);
		if (!told.ok) return touchesNothing(told.reason);
		const { tasks } = told;
		if (name === undefined) return says(tasks.length === 0 ? "The workspace has no tasks." : listTasks(tasks));
		const named = tasks.filter((task) => task.name === name);
		const [task] = named;
		if (task === undefined) return touchesNothing(`There is no task ${name}. Tasks:\n${listTasks(tasks)}`);
		if (named.length > 1)
			return touchesNothing(`Several tasks are called ${name}. Use run_command:\n${listTasks(named)}`);
		// Judged, shown and contained like any other command.
		const call = runCommand.prepare(JSON.stringify({ command: writeCommand(task), cwd: task.cwd ?? "." }), at("."));
		return "problem" in call ? touchesNothing(call.problem) : call.look(ports);
	},
});

function says(text: string): CallFindings {
	return { access: { kind: "none" }, show: async () => undefined, run: async () => ({ ok: true, text }) };
}

/** With its variables in sight of the model and of the user who is asked. */
function writeCommand({ command, variables = {} }: WorkspaceTask): string | readonly string[] {
	return Object.keys(variables).length === 0 ? command : PLATFORM.withVariables(command, variables);
}

/** Each with its folder if they have several. */
function listTasks(tasks: readonly WorkspaceTask[]): string {
	const hasFolders = new Set(tasks.flatMap(({ cwd }) => cwd ?? [])).size > 1;
	return cutLines(
		tasks.map((task) => {
			const { name, group, cwd } = task;
			const command = writeCommand(task);
			const words = typeof command === "string" ? command : command.join(" ");
			const place = hasFolders && cwd !== undefined ? ` in ${oneLine(cwd)}` : "";
			return `${oneLine(name)}${group === undefined ? "" : ` (${group})`}${place}: ${oneLine(words)}`;
		}),
	);
}
