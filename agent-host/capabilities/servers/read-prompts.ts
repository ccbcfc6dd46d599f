import * as z from "zod";
import { plainText } from "./plain-text.ts";

const MAX_PROMPTS = 64;
const MAX_ARGUMENTS = 12;
const MAX_NAME_CHARS = 64;
const MAX_ABOUT_CHARS = 300;
const MAX_TEXT_CHARS = 60_000;

/** A prompt as its server describes it, within our limits. */
export interface DescribedPrompt {
	readonly name: string;
	readonly description: string;
	readonly arguments: readonly {
		readonly name: string;
		readonly description: string;
		readonly required: boolean;
	}[];
}

/** Untrusted: a server may send anything. */
const Name = z.string().min(1).max(MAX_NAME_CHARS);
const Described = z.string().nullish().catch(undefined);
const Listed = z.looseObject({
	name: Name,
	description: Described,
	arguments: z
		.array(z.looseObject({ name: Name, description: Described, required: z.boolean().nullish().catch(undefined) }))
		.max(MAX_ARGUMENTS)
		.nullish(),
});

/** The prompts of a server that people can use; the rest is left out. */
export function readPrompts(listed: readonly unknown[]): readonly DescribedPrompt[] {
	const prompts = listed.slice(0, MAX_PROMPTS).flatMap((raw) => {
		const found = Listed.safeParse(raw).data;
		if (found === undefined) return [];
		const { name, description, arguments: asked } = found;
		return [
			{
				name,
				description: plainText(description ?? "", MAX_ABOUT_CHARS),
				arguments: (asked ?? []).map((one) => ({
					name: one.name,
					description: plainText(one.description ?? "", MAX_ABOUT_CHARS),
					required: one.required === true,
				})),
			},
		];
	});
	const isFirst = ({ name }: DescribedPrompt, at: number): boolean =>
		prompts.findIndex((other) => other.name === name) === at;
	return prompts.filter(isFirst).sort((a, b) => (a.name < b.name ? -1 : 1));
}

const Message = z.looseObject({
	role: z.string(),
	content: z.looseObject({
		type: z.string(),
		text: z.string().optional(),
		resource: z.looseObject({ uri: z.string(), text: z.string().optional() }).optional(),
	}),
});

/** The text of a prompt: its messages in order, each with who says it if that is not the user. */
export function readPromptText(raw: unknown): string {
	const messages = z.looseObject({ messages: z.array(z.unknown()) }).safeParse(raw).data?.messages ?? [];
	const lines = messages.flatMap((one) => {
		const message = Message.safeParse(one).data;
		if (message === undefined) return [];
		const { role, content } = message;
		const said = content.text ?? content.resource?.text ?? `[${content.type} is not supported]`;
		return [role === "user" ? said : `${role}: ${said}`];
	});
	return plainText(lines.join("\n\n"), MAX_TEXT_CHARS);
}
