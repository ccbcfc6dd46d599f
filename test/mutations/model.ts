import type { Mutation } from "./mutation.ts";

export const MODEL: readonly Mutation[] = [
	{
		protection: "key redaction",
		file: "agent-host/model/wires/connection/secret.ts",
		find: 'if (key === "") return failure;',
		replace: 'if (key !== "-") return failure;',
		tests: ["test/unit/model/real-servers.test.ts", "test/host/turn.test.ts"],
	},
	{
		protection: "refusal of redirects",
		file: "agent-host/model/wires/connection/send-request.ts",
		find: "answer.status > 299",
		replace: "answer.status > 399",
		tests: ["test/unit/model/real-servers.test.ts", "test/host/turn.test.ts"],
	},
	{
		protection: "idle limit",
		file: "agent-host/model/watchdog.ts",
		find: "setTimeout(giveUp, ms)",
		replace: "setTimeout(giveUp, 1_000 * ms)",
		tests: ["test/unit/model/faults.test.ts"],
	},
	{
		protection: "a request has the headers it needs and no others",
		file: "agent-host/model/wires/connection/send-request.ts",
		find: '"user-agent": "Vitrine",',
		replace: '"user-agent": `Vitrine (${process.platform})`,',
		tests: ["test/unit/model/real-servers.test.ts"],
	},
	{
		protection: "a key is asked for with the origin it is for",
		file: "agent-host/model/client.ts",
		find: "provider: whose, origin,",
		replace: 'provider: whose, origin: "https://api.openai.com",',
		tests: ["test/host/turn.test.ts", "test/host/sign-in.test.ts"],
	},
	{
		protection: "a key and a sign-in are two secrets",
		file: "agent-host/model/client.ts",
		find: 'const whose = auth === "chatgpt" ? "chatgpt" : provider;',
		replace: "const whose = provider;",
		tests: ["test/host/sign-in.test.ts"],
	},
	{
		protection: "a list of models has a bounded size",
		file: "agent-host/model/wires/connection/list-models.ts",
		find: "readJson(body, MAX_LIST_BYTES)",
		replace: "readJson(body, Number.POSITIVE_INFINITY)",
		tests: ["test/unit/model/real-servers.test.ts"],
	},
	{
		protection: "names of models are one plain line",
		file: "agent-host/model/wires/connection/list-models.ts",
		find: " && plainLine(id) === id",
		replace: "",
		tests: ["test/unit/model/real-servers.test.ts"],
	},
	{
		protection: "an answer that is one JSON value has a bounded size",
		file: "agent-host/model/wires/connection/http.ts",
		find: "if (size > MAX_EVENT_CHARS) return yield",
		replace: "if (size < 0) return yield",
		tests: ["test/unit/model/streams.test.ts"],
	},
	{
		protection: "only whole characters are sent",
		file: "agent-host/model/wires/connection/well-formed.ts",
		find: "return value.toWellFormed();",
		replace: "return value;",
		tests: ["test/host/read-file.test.ts"],
	},
];
