import type { Fragment } from "../../context/fragment.ts";
import { serverPrompt } from "../../context/fragments/user-actions.ts";
import type { ServerPrompt } from "../../envelope/envelope.ts";
import { say } from "../../protocol/say.ts";
import { askQuestion } from "../calls/ask-question.ts";
import type { Turn } from "../thread/running-turn.ts";
import { type InvokedSkills, warnAboutSkill } from "./invoke-skills.ts";

/** `/mcp__server__prompt`, and what follows it. */
const COMMAND = /^\/(mcp__[\w-]+)(?:\s([\s\S]*))?$/;

/** Gets the prompt of an MCP server that the message names. What it takes is asked for, unless the message says it. */
export async function invokePrompt(turn: Turn): Promise<InvokedSkills> {
	const { envelope, prompt, tools, signal } = turn;
	const [, name, words = ""] = COMMAND.exec(prompt.trim()) ?? [];
	// Threads of older releases have none.
	const found = (envelope.capabilities.serverPrompts ?? []).find((one) => one.name === name);
	if (found === undefined) return { fragments: [], drafts: [] };
	const unused = (reason: string): InvokedSkills => {
		const said = say("skill-unused", { name: found.name, reason });
		return { fragments: [], drafts: [warnAboutSkill(envelope.identity.turnId, said)] };
	};
	const input = await fillArguments(turn, found, words.trim());
	if (input === undefined) return unused("What it needs was not entered.");
	const read = await tools.readServerPrompt(found, input, signal);
	if (!read.ok) return unused(read.reason);
	const fragment: Fragment = serverPrompt.of({ server: found.server, name: found.prompt, text: read.text });
	return { fragments: [fragment], drafts: [] };
}

type Input = Readonly<Record<string, string>>;

/** Undefined if the user does not say what it needs. */
async function fillArguments(
	turn: Turn,
	{ server, about, takes }: ServerPrompt,
	words: string,
): Promise<Input | undefined> {
	const [first, ...others] = takes;
	if (first === undefined) return {};
	if (others.length === 0 && words !== "") return { [first.name]: words };
	if (turn.envelope.policy.value.approval === "never") return undefined;
	const questions = takes.map(({ name, description, required }) => ({
		id: name,
		text: description || name,
		...(description !== "" && { header: name }),
		options: [],
		input: "text" as const,
		...(required && { required: true as const }),
	}));
	const subject = { kind: "form" as const, server, ...(about !== "" && { message: about }), questions };
	const { answers } = (await askQuestion(turn, subject, ["answer", "dismiss"])) ?? {};
	if (answers === undefined) return undefined;
	return Object.fromEntries(
		Object.entries(answers).flatMap(([name, { text = "" }]) => (text === "" ? [] : [[name, text]])),
	);
}
