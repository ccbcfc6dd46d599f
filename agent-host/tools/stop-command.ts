import * as z from "zod";
import { say } from "../protocol/say.ts";
import { toOutcome } from "./command-outcome.ts";
import { defineTool } from "./tool.ts";

export const stopCommand = defineTool({
	name: "stop_command",
	description: "Stop a background command and its child processes.",
	needs: "command",
	input: z.object({ processId: z.string().min(1).max(100) }),
	title: ({ processId }) => say("call-stop", { processId }),
	access: () => ({ kind: "none" }),
	async run({ processId }, _, ports) {
		return toOutcome(await ports.stopCommand(processId));
	},
});
