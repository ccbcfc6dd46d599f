/**
 * The rooms of the house: who may import whom. `test/unit/rooms.test.ts` reads every import line and holds the code to it; the
 * table in ARCHITECTURE.md is made from it.
 */
export interface Room {
	/** What it is for, in a line. */
	readonly what: string;
	/** The rooms it may import besides itself. */
	readonly rooms: readonly string[];
	readonly packages: readonly string[];
}

/** The door of the agent host: what other processes may import of it. */
const PROTOCOL = "agent-host/protocol";

/** From the ground up: a room imports only rooms that come before it. */
export const ROOMS: Readonly<Record<string, Room>> = {
	"agent-host/version.ts": { what: "The version of the build.", rooms: [], packages: [] },
	"agent-host/protocol": {
		what: "The door: every message between client and host, once, as a schema.",
		rooms: [],
		packages: ["zod"],
	},
	"agent-host/spending": { what: "Prices, budgets and what was spent.", rooms: [PROTOCOL], packages: [] },
	"agent-host/network": {
		what: "The proxy that a command reaches allowed hosts through.",
		rooms: [],
		packages: ["node:url"],
	},
	"agent-host/permissions": {
		what: "The policy: what a call may touch, who is asked, and the words for it.",
		rooms: [PROTOCOL, "agent-host/network/host-rules.ts", "agent-host/network/host-name.ts"],
		packages: ["node:path", "node:util", "node:crypto"],
	},
	"agent-host/envelope": {
		what: "Everything that a turn may depend on, sealed once.",
		rooms: [PROTOCOL, "agent-host/permissions"],
		packages: ["node:path", "node:util"],
	},
	"agent-host/context": {
		what: "Everything the model can be told besides the conversation, and the diff of it.",
		rooms: [PROTOCOL, "agent-host/permissions", "agent-host/envelope"],
		packages: ["node:path", "node:util", "zod"],
	},
	"agent-host/history": {
		what: "What was said, as items; their tokens and their form for a request.",
		rooms: [PROTOCOL, "agent-host/context"],
		packages: ["zod"],
	},
	"agent-host/patch": { what: "Reading, locating and planning patches.", rooms: [], packages: ["node:path"] },
	"agent-host/mentions": { what: "Finding files by a few letters.", rooms: [], packages: [] },
	"agent-host/review": {
		what: "Which lines of a file the agent changed, and how to keep or reject them.",
		rooms: ["agent-host/patch"],
		packages: ["node:crypto"],
	},
	"agent-host/compaction": {
		what: "When to compact, what to keep, and what a summary must hold.",
		rooms: [PROTOCOL, "agent-host/envelope", "agent-host/context", "agent-host/history"],
		packages: [],
	},
	"agent-host/tools": {
		what: "The model's tools: each says what it would touch before it touches it.",
		rooms: [
			PROTOCOL,
			"agent-host/network/host-rules.ts",
			"agent-host/permissions",
			"agent-host/patch",
			"agent-host/history",
		],
		packages: ["node:path", "zod"],
	},
	"agent-host/model": {
		what: "Requests, the wires of the providers, and what their answers come to.",
		rooms: [PROTOCOL, "agent-host/envelope", "agent-host/history"],
		packages: ["zod", "openai", "openai/resources/responses/responses", "openai/resources/chat/completions"],
	},
	"agent-host/telemetry": {
		what: "One trace for each turn, kept in memory and sent only where the user says.",
		rooms: [PROTOCOL, "agent-host/envelope", "agent-host/model/port.ts", "agent-host/version.ts"],
		packages: [],
	},
	"agent-host/workspace": {
		what: "Files: reading, searching, watching, changing them all or not at all; instructions and Git.",
		rooms: [
			PROTOCOL,
			"agent-host/permissions",
			"agent-host/envelope",
			"agent-host/patch",
			"agent-host/review",
			"agent-host/tools",
		],
		packages: ["node:path", "node:fs", "node:fs/promises", "node:os", "node:crypto"],
	},
	"agent-host/sandbox": {
		what: "Commands: contained by the system, watched, ended, and cleaned up after.",
		rooms: [PROTOCOL, "agent-host/permissions", "agent-host/network", "agent-host/tools", "agent-host/workspace"],
		packages: ["node:path", "node:fs", "node:fs/promises", "node:os", "node:stream", "node:util"],
	},
	"agent-host/store": {
		what: "Threads on disk: the log, what it means, and the home folder.",
		rooms: [PROTOCOL, "agent-host/spending", "agent-host/envelope", "agent-host/context", "agent-host/history"],
		packages: ["node:path", "node:os", "node:fs", "node:fs/promises"],
	},
	"agent-host/session": {
		what: "The running host: threads, turns, calls, approvals, compactions.",
		rooms: [
			PROTOCOL,
			"agent-host/spending",
			"agent-host/permissions",
			"agent-host/envelope",
			"agent-host/context",
			"agent-host/history",
			"agent-host/patch",
			"agent-host/mentions",
			"agent-host/review",
			"agent-host/compaction",
			"agent-host/tools",
			"agent-host/model",
			"agent-host/telemetry",
			"agent-host/workspace",
			"agent-host/sandbox",
			"agent-host/store",
			"agent-host/version.ts",
		],
		packages: ["node:os", "node:path"],
	},
	"agent-host/surfaces": {
		what: "The ways in: the editor's connection and the command line.",
		rooms: [
			PROTOCOL,
			"agent-host/network/host-rules.ts",
			"agent-host/patch",
			"agent-host/permissions",
			"agent-host/workspace",
			"agent-host/sandbox",
			"agent-host/store",
			"agent-host/session",
			"agent-host/version.ts",
		],
		packages: ["node:crypto", "node:fs/promises", "node:os", "node:path", "node:stream", "node:url", "node:util"],
	},
	"agent-host/main.ts": {
		what: "Chooses a surface.",
		rooms: ["agent-host/surfaces", "agent-host/version.ts"],
		packages: ["node:module"],
	},
	l10n: { what: "How extension and page say a sentence in the reader's language.", rooms: [], packages: [] },
	media: {
		what: "The panel and the inspector: pages in webviews.",
		rooms: [PROTOCOL, "l10n"],
		packages: ["preact", "preact/hooks", "@preact/signals", "markdown-it", "highlight.js"],
	},
	extension: {
		what: "The editor's side: commands, views, and the relay between page and host.",
		rooms: [PROTOCOL, "l10n", "media/wire.ts", "media/inspector-wire.ts"],
		packages: [
			"vscode",
			"vscode-languageclient/node",
			"zod",
			"node:path",
			"node:crypto",
			"node:fs",
			"node:fs/promises",
		],
	},
};

/** Packages that only these files may import. */
export const ONLY: Readonly<Record<string, readonly string[]>> = {
	"node:child_process": ["agent-host/sandbox/launch.ts"],
	"node:dns/promises": ["agent-host/network/network-ports.ts"],
	"node:http": ["agent-host/network/proxy.ts", "agent-host/network/carry.ts"],
	"node:net": [
		"agent-host/network/network-ports.ts",
		"agent-host/network/proxy.ts",
		// These two take over descriptors that exist; they connect to nothing.
		"agent-host/sandbox/linux/pipes.ts",
		"agent-host/sandbox/linux/network/private-network.ts",
	],
	"node:sqlite": ["agent-host/store/home/lock.ts", "agent-host/store/threads/search-threads.ts"],
	"node:stream": [
		"agent-host/network/carry.ts",
		"agent-host/network/dial-checked.ts",
		"agent-host/network/network-ports.ts",
		"agent-host/network/proxy.ts",
		"agent-host/sandbox",
		"agent-host/surfaces",
	],
	"node:timers/promises": [
		"agent-host/workspace/apply/patcher.ts",
		"agent-host/sandbox/linux/network/private-network.ts",
		"agent-host/session/ports/system-ports.ts",
	],
	"node:crypto": [
		"agent-host/permissions/policy/policy.ts",
		"agent-host/review",
		"agent-host/workspace",
		"agent-host/sandbox/linux/bundled.ts",
		"agent-host/sandbox/protect/set-aside.ts",
		"agent-host/store",
		"agent-host/session/ports/system-ports.ts",
		"agent-host/surfaces/cli",
		"extension",
	],
	"node:v8": ["agent-host/session/health/examine.ts"],
	"node:zlib": [
		"agent-host/model/request-digest.ts",
		"agent-host/store/records/record.ts",
		"agent-host/store/records/scan-records.ts",
	],
	ignore: ["agent-host/workspace/files/walk.ts"],
	"vscode-jsonrpc/node": ["agent-host/surfaces/editor"],
	"vscode-languageserver-textdocument": ["agent-host/surfaces/editor/documents.ts"],
	zod: [
		PROTOCOL,
		"agent-host/context",
		"agent-host/history",
		"agent-host/tools",
		"agent-host/model",
		"agent-host/workspace/apply/journal.ts",
		"agent-host/sandbox/protect/guard-journal.ts",
		"agent-host/store",
		"agent-host/surfaces/editor",
		"extension",
		"media/wire.ts",
		"media/inspector-wire.ts",
	],
};

/**
 * The walls inside the big rooms: their folders and files with what they are for, from the lowest floor to the highest. What
 * stands on one floor imports its own floor and those below. `*` is the floor of all files that are not named.
 */
export const FLOORS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	"agent-host/protocol": {
		"errors.ts": "Every failure that a client can act on, with its code.",
		"ids.ts": "Identifiers.",
		"method.ts": "How a message is declared.",
		settings: "Settings, permissions and policy files, as a client sends them.",
		approval: "Approvals, questions and the record of decisions.",
		thread: "Threads, turns, items, events, context, compaction, review.",
		host: "Start, status, health, traces, the editor's documents and models.",
		"catalog.ts": "All messages, by direction.",
	},
	"agent-host/permissions": {
		policy: "The policy as one value; protected names; why there is no sandbox.",
		reach: "What a policy lets be read, written and run; whether one allows no more than another.",
		resolve: "From settings, or a policy file, to the policy of a turn.",
		"command-lines": "Words of a command: prefix rules, plain Git calls, what it deletes.",
		decide: "The one verdict on a call, and what a failed one was probably refused.",
		words: "The policy in sentences.",
	},
	"agent-host/context": {
		"*": "What a fragment and a section are; the diff of them; tags.",
		fragments: "One file for each kind of text.",
		sections: "One file for each part of the world that the model is kept informed of.",
		"catalog.ts": "All of it.",
	},
	"agent-host/store": {
		records: "A line of a thread's file, what it means, and whether it counts.",
		home: "The folder of all threads: disk, locks, keys, what all windows share.",
		log: "Writing and reading one thread's file.",
		threads: "All threads: listing, search, export, import, fork, repair.",
	},
	"agent-host/workspace": {
		files: "Reading, walking, searching and watching, with every link resolved.",
		apply: "Patches on disk: verified, journaled, all or nothing, recovered after a crash.",
		git: "What the files of a repository tell; no Git is run.",
		"load-instructions.ts": "The chain of AGENTS.md files.",
	},
	"agent-host/sandbox": {
		"process-start-time.ts": "Tells a process from a later one with the same number.",
		"launch.ts": "The only file that starts processes.",
		"run-folder.ts": "The host's own folder, which no command sees.",
		"backend.ts": "The port: what every platform's sandbox does.",
		"windows.ts": "A plan for Windows that nothing runs yet.",
		layout: "From a policy and the disk to the places where access changes.",
		protect: "What no mount can hold: planted files, repositories, names that do not exist yet.",
		repository: "A copy of a Git directory for plain Git calls.",
		reading: "What of a home folder work needs, and what stays closed.",
		command: "What is the same on every platform: the request, environment, output, limits, background.",
		linux: "bubblewrap, seccomp, cgroups, network namespaces.",
		macos: "Seatbelt profiles.",
		"find-ripgrep.ts": "Ripgrep, contained.",
		"sandbox.ts": "Chooses the backend.",
		"policy-probe": "Tries the policy instead of assuming it.",
	},
	"agent-host/session": {
		ports: "Every effect that is handed in.",
		"facts.ts": "What the client has told the host so far.",
		"models.ts": "The models that can be chosen.",
		"server-memory.ts": "What was learned about model servers.",
		health: "Whether the sandbox works, the doctor, status.",
		thread: "A thread in memory: its queue, contract, spending, due fragments.",
		start: "From `turn/start` to a sealed, durable turn.",
		changes: "Files that the agent changed: snapshots, review, restore.",
		tools: "What binds the tools to a turn.",
		inspect: "What the user looks at: requests and the policy.",
		compaction: "Making and installing a summary.",
		calls: "Tool calls: decided, approved, run, and loops left.",
		turn: "The loop: steps until nothing is left to answer.",
		"*": "`session/session.ts` wires it together; `session/turn-kinds.ts` is the table of turns.",
	},
};

/** Rooms and files without clock, disk, process or network; they import only each other. */
export const PURE: readonly string[] = [
	"agent-host/protocol",
	"agent-host/spending",
	"agent-host/network/addresses.ts",
	"agent-host/network/client-hello.ts",
	"agent-host/network/host-name.ts",
	"agent-host/network/request-head.ts",
	"agent-host/network/host-rules.ts",
	"agent-host/permissions",
	"agent-host/envelope",
	"agent-host/context",
	"agent-host/history",
	"agent-host/patch",
	"agent-host/review",
	"agent-host/mentions",
	"agent-host/compaction",
	"agent-host/tools",
	"agent-host/sandbox/layout/plan-layout.ts",
	"agent-host/sandbox/linux/bwrap-options.ts",
	"agent-host/sandbox/linux/choose-backend.ts",
	"agent-host/sandbox/linux/cgroups/cgroup-folders.ts",
	"agent-host/sandbox/linux/seccomp.ts",
	"agent-host/sandbox/linux/syscalls.ts",
	"agent-host/sandbox/linux/wsl.ts",
	"agent-host/sandbox/macos/seatbelt.ts",
	"agent-host/sandbox/macos/seatbelt-rules.ts",
	"agent-host/sandbox/macos/own-temporary.ts",
	"agent-host/sandbox/macos/profile.ts",
	"agent-host/sandbox/macos/text.ts",
	"agent-host/sandbox/windows.ts",
	"agent-host/sandbox/policy-probe/attempts.ts",
	"agent-host/sandbox/command/command-environment.ts",
	"agent-host/sandbox/command/command-output.ts",
	"agent-host/sandbox/reading/caches.ts",
	"agent-host/sandbox/reading/toolchains.ts",
	"agent-host/store/records",
	"agent-host/surfaces/cli/choose-command.ts",
	"l10n",
	"media/wire.ts",
	"media/inspector-wire.ts",
	"media/transcript",
	// Those of the extension that do without the editor.
	"extension/panel/page.ts",
	"extension/panel/inside.ts",
	"extension/host/restarts.ts",
	"extension/host/questions.ts",
	"extension/host/approvals.ts",
	"extension/facts/chat-settings.ts",
	"extension/facts/permissions.ts",
	"extension/facts/proxy.ts",
	"extension/attach/secret-files.ts",
	"extension/attach/offer.ts",
	"extension/attach/lines.ts",
	"extension/commands/limit-choices.ts",
	"extension/commands/model-words.ts",
	"extension/review/hunk-words.ts",
	"extension/commands/restore-words.ts",
	"extension/commands/standing-turns.ts",
	"extension/views/terminal-text.ts",
	"extension/views/when-told.ts",
	"extension/views/document-address.ts",
	"extension/views/render-document.ts",
	"extension/views/report-words.ts",
	"extension/views/compaction-words.ts",
	"extension/views/inspector-state.ts",
];

/** What a pure file may import besides other pure files. */
export const PURE_PACKAGES: readonly string[] = [
	"node:path",
	"node:url",
	"node:util",
	"node:crypto",
	"node:zlib",
	"zod",
];
