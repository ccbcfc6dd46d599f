import * as z from "zod";
import { AgentName } from "../protocol/agent.ts";
import { say } from "../protocol/say.ts";
import { defineTool } from "./tool.ts";

/** What a sub-agent is asked in one piece. */
export const MAX_TASK_CHARS = 20_000;
const MAX_WAIT_SECONDS = 600;
const DEFAULT_WAIT_SECONDS = 120;

const Text = z.string().trim().min(1).max(MAX_TASK_CHARS);

export const startAgent = defineTool({
	name: "start_agent",
	description: "Start a sub-agent; several can work at once. It knows only its task. Its result comes as a message.",
	needs: "agents",
	input: z.object({
		name: AgentName.describe("Such as find-callers"),
		role: z
			.string()
			.min(1)
			.max(64)
			.describe("explore or review (only read), implement, or another one you were told of"),
		task: Text,
		context: z.literal("all").optional().describe("With this conversation"),
		model: z.string().min(1).max(200).optional(),
	}),
	title: ({ name, role, task }) => say("call-agent", { name, role, task }),
	access: () => ({ kind: "none" }),
	run: (input, _at, ports) => ports.startAgent(input),
});

export const messageAgent = defineTool({
	name: "message_agent",
	description: "Write to a sub-agent; one that has ended continues.",
	needs: "none",
	input: z.object({ agent: AgentName, text: Text }),
	title: ({ agent, text }) => say("call-message-agent", { agent, text }),
	access: () => ({ kind: "none" }),
	run: (input, _at, ports) => ports.messageAgent(input),
});

export const waitForAgents = defineTool({
	name: "wait_agents",
	description: "Wait for news of sub-agents, and list them.",
	needs: "agents",
	input: z.object({
		seconds: z.number().optional(),
	}),
	title: () => say("call-wait-agents"),
	access: () => ({ kind: "none" }),
	run: ({ seconds = DEFAULT_WAIT_SECONDS }, _at, ports, signal) =>
		ports.waitForAgents(Math.min(Math.max(seconds, 0), MAX_WAIT_SECONDS), signal),
});

export const stopAgent = defineTool({
	name: "stop_agent",
	description: "Stop a sub-agent.",
	needs: "agents",
	input: z.object({ agent: AgentName }),
	title: ({ agent }) => say("call-stop-agent", { agent }),
	access: () => ({ kind: "none" }),
	run: ({ agent }, _at, ports) => ports.stopAgent(agent),
});
