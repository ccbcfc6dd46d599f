import { defineFragment } from "../fragment.ts";

/** What a sub-agent is there for. */
export const agentRole = defineFragment<{
	readonly name: string;
	readonly role: string;
	readonly instructions: string;
}>({
	kind: "agent-role",
	role: "developer",
	tag: "agent_role",
	origin: "host",
	maxChars: 12_000,
	about: "The name and the role of a sub-agent.",
	summary: ({ name, role }) => `sub-agent ${name}, role ${role}`,
	attributes: ({ name, role }) => ({ name, role }),
	body: ({ instructions }) =>
		[
			"You are a sub-agent: another agent, not the user, gave you this task. Do it and nothing else; other agents may work in the same folder.",
			'Your last message is all that it reads of your work: say what you found or did, with paths and lines, and what is left. Use message_agent with agent "parent" only for what cannot wait until then.',
			instructions,
		].join("\n"),
});
