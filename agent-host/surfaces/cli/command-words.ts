const MODEL = "[--base-url URL] [--wire responses|chat|messages|gemini] [--model ID]";
const TURN = [
	`  ${MODEL} [--effort LEVEL] [--summary auto|concise|detailed|none]`,
	"  [--mode readOnly|ask|workspaceWrite|full] [--approval untrusted|onRequest|never] [--settings FILE]",
];

interface CommandWords {
	readonly about: string;
	readonly usage: readonly string[];
	/** Words that come first, such as what to do with a thread. */
	readonly first?: readonly string[];
}

/** What can be typed after `vitrine`: for help, for wrong arguments, and for the completions of shells. */
export const COMMAND_WORDS = {
	exec: {
		about: "Run one task and print the answer",
		usage: [
			"Usage: vitrine exec [OPTION…] PROMPT    (with - or without a prompt, it is read from standard input)",
			"  [--resume THREAD | --fork THREAD | --last]    continue a thread, a copy of it, or the newest one of the folder",
			"  [--cwd DIR] [--file PATH]… [--image PATH]… [--stdin]    where to work, and what to attach",
			...TURN,
			"  [--policy FILE] [--output-schema FILE] [--json] [--home DIR]",
		],
	},
	threads: {
		about: "List, show, export, archive and delete threads",
		usage: [
			"Usage: vitrine threads [--search TEXT] [--cwd DIR] [--archived] [--limit N] [--json] [--home DIR]",
			"       vitrine threads show|export|archive|unarchive|delete THREAD [--home DIR]",
		],
		first: ["show", "export", "archive", "unarchive", "delete"],
	},
	compact: {
		about: "Compact a thread",
		usage: [`Usage: vitrine compact [--focus TEXT] ${MODEL} [--home DIR] [--json] THREAD`],
	},
	mcp: {
		about: "Serve other agents over MCP, on standard input and output",
		usage: ["Usage: vitrine mcp [--cwd DIR]… [--home DIR]", ...TURN],
	},
	acp: {
		about: "Serve editors over the Agent Client Protocol",
		usage: ["Usage: vitrine acp [--home DIR]", ...TURN],
	},
	sandbox: {
		about: "Run a command under a policy file",
		usage: ["Usage: vitrine sandbox --policy FILE [--cwd DIR] -- CMD ARG…"],
	},
	"apply-patch": {
		about: "Apply a patch, all of it or nothing",
		usage: ["Usage: vitrine apply-patch [--cwd DIR] [--dry-run] < PATCH"],
	},
	replay: {
		about: "Compare the requests of a thread with its records",
		usage: ["Usage: vitrine replay [--home DIR] THREAD"],
	},
	doctor: {
		about: "Check what Vitrine needs on this machine",
		usage: ["Usage: vitrine doctor [--json] [--home DIR] [--cwd DIR]"],
	},
	completion: {
		about: "Print completions for a shell",
		usage: ["Usage: vitrine completion bash|zsh|fish    (for example: source <(vitrine completion bash))"],
		first: ["bash", "zsh", "fish"],
	},
} as const satisfies Readonly<Record<string, CommandWords>>;

export function describeUsage(command: keyof typeof COMMAND_WORDS): string {
	return COMMAND_WORDS[command].usage.join("\n");
}

/** What a shell can complete after each command. */
export function listCompletions(): readonly {
	readonly name: string;
	readonly about: string;
	readonly words: readonly string[];
}[] {
	return Object.entries<CommandWords>(COMMAND_WORDS).map(([name, { about, usage, first = [] }]) => {
		const options = usage.join(" ").match(/--[a-z][a-z-]*/g) ?? [];
		return { name, about, words: [...first, ...new Set(options)] };
	});
}
