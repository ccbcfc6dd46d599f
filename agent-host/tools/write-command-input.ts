import * as z from "zod";
import { say } from "../protocol/say.ts";
import { commandFacts } from "./command-facts.ts";
import { toOutcome } from "./command-outcome.ts";
import { clampedInt } from "./parameters.ts";
import { defineTool } from "./tool.ts";

const MAX_WAIT_MS = 60_000;
const DEFAULT_WAIT_MS = 1_000;

export const writeCommandInput = defineTool({
	name: "write_command_input",
	description: "Write to a background command's stdin, wait, and read its new output. Without text: wait and read.",
	needs: "command",
	input: z.object({
		processId: z.string().min(1).max(100),
		text: z.string().max(100_000).default("").describe("Verbatim; end lines with \\n"),
		waitMs: clampedInt(0, MAX_WAIT_MS).default(DEFAULT_WAIT_MS),
	}),
	title: ({ processId, text }) =>
		text === "" ? say("call-wait-for", { processId }) : say("call-write-to", { processId }),
	access: ({ processId, text }, _, ports) => {
		const found = text === "" ? undefined : ports.findProcess(processId);
		if (found === undefined) return { kind: "none" };
		// Input to a shell is a command: it is judged like the command that it is written to.
		return { kind: "input", processId, escalated: found.call.escalated, rights: found.rights };
	},
	subject: ({ processId, text }, _, ports) => {
		const found = ports.findProcess(processId);
		if (found === undefined) return { problem: `No background command ${processId}.` };
		return {
			kind: "command",
			...commandFacts(found.call, found.subject),
			...(found.call.escalated ? { escalated: true as const } : {}),
			input: { processId, text },
		};
	},
	async run({ processId, text, waitMs }, _, ports, signal) {
		return toOutcome(await ports.writeCommandInput(processId, text, waitMs, signal));
	},
});
