import type { Mutation } from "./mutation.ts";

const PLANTED = ["test/sandbox/planted.test.ts"];

/** What a command leaves behind, and what is kept from it while it runs. */
export const PLANTING: readonly Mutation[] = [
	{
		protection: "protected names that a command made are set aside",
		file: "agent-host/sandbox/protect/undo.ts",
		find: "const note = await setAside(path, kind);",
		replace: "const note = kind === undefined ? await setAside(path, kind) : undefined;",
		tests: ["test/sandbox/commands.test.ts", ...PLANTED],
	},
	{
		protection: "protected links that a command changed lead back again",
		file: "agent-host/sandbox/protect/undo.ts",
		find: "for (const [path, target] of before.links) notes.push(...(await restore(path, target)));",
		replace: "",
		tests: ["test/sandbox/prepare.test.ts"],
	},
	{
		protection: "repositories that a command made at any depth are set aside",
		file: "agent-host/sandbox/protect/undo.ts",
		find: "const appeared = new Map<string, HarmfulKind>(found.places);",
		replace: "const appeared = new Map<string, HarmfulKind>();",
		tests: ["test/sandbox/commands.test.ts", ...PLANTED],
	},
	{
		protection: "what was set aside is looked at again",
		file: "agent-host/sandbox/protect/undo.ts",
		find: "const MAX_ROUNDS = 20;",
		replace: "const MAX_ROUNDS = 1;",
		tests: PLANTED,
	},
	{
		protection: "repositories are known by what is in them",
		file: "agent-host/sandbox/protect/harmful-places.ts",
		find: 'found: head === undefined ? found : [...found, [head, "bare"]],',
		replace: "found,",
		tests: ["test/unit/sandbox/harmful-places.test.ts"],
	},
	{
		protection: "nested repositories are read-only",
		file: "agent-host/sandbox/protect/version-control.ts",
		find: "...links, ...wholes, ...present",
		replace: "...links, ...present",
		tests: PLANTED,
	},
	{
		protection: "what a protected link leads to is protected",
		file: "agent-host/sandbox/protect/version-control.ts",
		find: "...links, ...wholes, ...present",
		replace: "...wholes, ...present",
		tests: PLANTED,
	},
	{
		protection: "Git directories that a pointer file names are protected",
		file: "agent-host/sandbox/protect/version-control.ts",
		find: "places.push(...elsewhere);",
		replace: "",
		tests: ["test/sandbox/commands.test.ts"],
	},
	{
		protection: "what a repository's configuration names is protected",
		file: "agent-host/sandbox/protect/version-control.ts",
		find: "places.push(...placesInConfig(settings, [dirname(file), ...bases], homedir()));",
		replace: "",
		tests: PLANTED,
	},
	{
		protection: "what a repository would obey is set aside when it appears",
		file: "agent-host/sandbox/protect/undo.ts",
		find: 'for (const path of before.awaited) if (existsSync(path)) appeared.set(path, "other");',
		replace: "",
		tests: PLANTED,
	},
	{
		protection: "a command is looked after whenever it is reported on",
		file: "agent-host/sandbox/command/processes.ts",
		find: "const notes = await command.check();",
		replace: "const notes: readonly string[] = [];",
		tests: PLANTED,
	},
	{
		protection: "a mount that falls off ends the command",
		file: "agent-host/sandbox/linux/start/protection-watch.ts",
		find: "if (missing !== undefined) return",
		replace: 'if (missing === "") return',
		tests: PLANTED,
	},
	{
		protection: "a closed place that appears ends the command",
		file: "agent-host/sandbox/linux/start/protection-watch.ts",
		find: "if (appeared !== undefined) return",
		replace: 'if (appeared === "") return',
		tests: PLANTED,
	},
	{
		protection: "what a dead host's command made is undone",
		file: "agent-host/sandbox/protect/guard-journal.ts",
		find: "if (entry !== undefined) notes.push(...(await undo(entry.before, createHarmfulPlaces(), standing)));",
		replace: "",
		tests: PLANTED,
	},
];
