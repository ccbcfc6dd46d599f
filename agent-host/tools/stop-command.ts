import * as z from "zod";
import { outcomeOf } from "./command-outcome.ts";
import { defineTool } from "./tool.ts";

export const stopCommand = defineTool({
	name: "stop_command",
	description: "End a command that runs in the background, with everything it started.",
	needs: "command",
	input: z.object({ processId: z.string().min(1).max(100) }),
	title: ({ processId }) => `Stop ${processId}`,
	access: () => ({ kind: "none" }),
	async run({ processId }, _, ports) {
		return outcomeOf(await ports.stopCommand(processId));
	},
});
