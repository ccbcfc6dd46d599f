import type { Mutation } from "./mutation.ts";

export const RIGHTS: readonly Mutation[] = [
	{
		protection: "an import takes no settings, server or instructions over",
		file: "agent-host/store/transfer.ts",
		find: "settings: {},",
		replace: "settings: header.body.settings,",
		tests: ["test/unit/store/import.test.ts", "test/host/records.test.ts"],
	},
	{
		protection: "an import says of nobody that they ran a command",
		file: "agent-host/store/conversation.ts",
		find: "return { ...event, item: call };",
		replace: "return call && event;",
		tests: ["test/unit/store/import.test.ts", "test/host/records.test.ts"],
	},
	{
		protection: "words of the host count only under its seal",
		file: "agent-host/store/conversation.ts",
		find: 'isSpoken(parsed.data) ? { ...parsed.data, role: "user" } : LEFT_OUT',
		replace: "isSpoken(parsed.data) ? parsed.data : parsed.data",
		tests: ["test/unit/store/import.test.ts", "test/host/records.test.ts"],
	},
	{
		protection: "a seal is bound to its thread",
		file: "agent-host/store/seal.ts",
		find: "what, threadId].join",
		replace: "what].join",
		tests: ["test/host/records.test.ts"],
	},
	{
		protection: "a choice without our seal does not count",
		file: "agent-host/store/admit.ts",
		find: "const isOwn = key?.holds(threadId, json) ?? false;",
		replace: "const isOwn = (key?.holds(threadId, json) ?? false) || true;",
		tests: ["test/host/records.test.ts"],
	},
	{
		protection: "an older choice does not come back",
		file: "agent-host/store/admit.ts",
		find: "pinned !== undefined && (newest.seal === pinned || newest.after === pinned)",
		replace: "newest.seal !== undefined",
		tests: ["test/host/records.test.ts"],
	},
	{
		protection: "a thread that cannot be believed only reads",
		file: "agent-host/session/thread/rights.ts",
		find: 'rights.state === "proved" ? state',
		replace: "rights.state === rights.state ? state",
		tests: ["test/host/records.test.ts"],
	},
	{
		protection: "full access ends with its window and its folders",
		file: "agent-host/session/thread/full-access.ts",
		find: "given.get(threadId) !== here()",
		replace: "given.get(threadId) === null",
		tests: ["test/host/records.test.ts"],
	},
	{
		protection: "a line that stands twice counts once",
		file: "agent-host/store/load.ts",
		find: "peek.n <= last.n || ",
		replace: "",
		tests: ["test/unit/store/store.test.ts"],
	},
	{
		protection: "Retry of a command puts it into the composer",
		file: "extension/panel/prompts.ts",
		find: 'if (typeof input === "string") options.compose(input);',
		replace: 'if (typeof input === "string") await start([{ kind: "shell", command: input.slice(1) }]);',
		tests: ["test/security/panel.test.ts"],
	},
];
