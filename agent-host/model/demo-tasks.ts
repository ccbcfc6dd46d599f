/** A call of the demo model, and the text before it. */
export interface DemoCall {
	readonly say: string;
	readonly name: string;
	readonly arguments: Readonly<Record<string, unknown>>;
}

interface DemoTask {
	/** Matches prompts that request it. */
	readonly asked: RegExp;
	readonly call: DemoCall;
}

const EVERYTHING = /\b(?:tour|everything|show me around)\b/i;

const NOTE = `# A note from the demo model

It was written by a patch that was checked against the permissions and applied completely.
`;

const TASKS: readonly DemoTask[] = [
	{
		asked: /\bplan\b/i,
		call: {
			say: "I'll start with a plan.",
			name: "update_plan",
			arguments: {
				steps: [
					{ text: "Write a plan", status: "done" },
					{ text: "Do what was asked", status: "running" },
					{ text: "Report the result", status: "pending" },
				],
			},
		},
	},
	{
		asked: /\b(?:write|create|edit|patch)\b/i,
		call: {
			say: "I'll write a small file with a patch.",
			name: "apply_patch",
			arguments: { patch: addFile("vitrine-demo.md", NOTE) },
		},
	},
	{
		asked: /\b(?:run|command|sandbox)\b/i,
		call: {
			say: "I'll run a command that also tries to write outside the workspace.",
			name: "run_command",
			arguments: { command: "pwd; ls; echo try > /etc/vitrine-demo", reason: "to show what commands may do" },
		},
	},
	{
		asked: /\b(?:approval|approve|ask me)\b/i,
		call: {
			say: "I'll try to change the editor's settings. That always needs your approval.",
			name: "apply_patch",
			arguments: { patch: addFile(".vscode/vitrine-demo.json", "{}\n") },
		},
	},
];

/** The calls that a prompt requests, in order, as far as their tools are offered. */
export function demoCallsFor(prompt: string, offered: ReadonlySet<string>): readonly DemoCall[] {
	const wanted = EVERYTHING.test(prompt) ? TASKS : TASKS.filter(({ asked }) => asked.test(prompt));
	return wanted.map(({ call }) => call).filter(({ name }) => offered.has(name));
}

function addFile(path: string, text: string): string {
	const lines = text.trimEnd().split("\n");
	return ["*** Begin Patch", `*** Add File: ${path}`, ...lines.map((line) => `+${line}`), "*** End Patch", ""].join(
		"\n",
	);
}
