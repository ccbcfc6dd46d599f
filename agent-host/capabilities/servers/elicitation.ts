import * as z from "zod";
import type { AskedQuestion, QuestionAnswer, QuestionSubject } from "../../protocol/approval/question.ts";
import { plainText } from "./plain-text.ts";

const MAX_FIELDS = 12;
const MAX_OPTIONS = 50;
const MAX_MESSAGE_CHARS = 1_900;
const MAX_TEXT_CHARS = 500;
const MAX_LABEL_CHARS = 190;
const MAX_ID_CHARS = 100;
const MAX_HEADER_CHARS = 90;

/** Untrusted: a server may ask anything. */
const Option = z.looseObject({ const: z.string(), title: z.string().optional() });
const Field = z.looseObject({
	type: z.enum(["string", "number", "integer", "boolean", "array"]),
	title: z.string().optional(),
	description: z.string().optional(),
	format: z.string().optional(),
	enum: z.array(z.string()).optional(),
	oneOf: z.array(Option).optional(),
	items: z.looseObject({ enum: z.array(z.string()).optional(), anyOf: z.array(Option).optional() }).optional(),
	default: z.unknown().optional(),
});
type Field = z.infer<typeof Field>;

const Form = z.looseObject({
	mode: z.literal("form").optional(),
	message: z.string(),
	requestedSchema: z.looseObject({
		properties: z.record(z.string().min(1).max(MAX_ID_CHARS), Field),
		required: z.array(z.string()).default([]),
	}),
});
const Address = z.looseObject({ mode: z.literal("url"), message: z.string(), url: z.string().max(MAX_MESSAGE_CHARS) });

/** What a server gets back. */
export type Elicited =
	| { readonly action: "accept"; readonly content?: Record<string, string | number | boolean | string[]> }
	| { readonly action: "decline" | "cancel" };

/** A server's request as a question, with how its answer is read; or why it is refused, in a sentence. */
export type Elicitation =
	| { readonly subject: QuestionSubject; readonly read: (answer: QuestionAnswer | undefined) => Elicited }
	| { readonly refused: string };

/** Words for what nobody should write into a form that some server made up. */
const SECRET =
	/pass(?:word|phrase|code)|secret|credential|token|api[\s_-]?key|private[\s_-]?key|access[\s_-]?key|\bpin\b|\bcvv\b|\bcvc\b|card[\s_-]?number|recovery[\s_-]?code|one[\s_-]?time|\botp\b|\bmfa\b|\b2fa\b/i;

export function readElicitation(server: string, params: unknown): Elicitation {
	const address = Address.safeParse(params);
	if (address.success) return readAddress(server, address.data);
	const form = Form.safeParse(params);
	if (!form.success) return { refused: "It asked for something that cannot be shown as a form." };
	const { message, requestedSchema } = form.data;
	const fields = Object.entries(requestedSchema.properties);
	if (fields.length > MAX_FIELDS) return { refused: `It asked ${fields.length} questions at once.` };
	const secret = fields.find(([id, { title = "", description = "", format = "" }]) =>
		SECRET.test([spell(id), title, description, format].join("\n")),
	);
	if (secret !== undefined || SECRET.test(message)) return { refused: "It asked for a password, key or other secret." };
	const questions = fields.map(([id, field]) => asQuestion(id, field, requestedSchema.required.includes(id)));
	if (questions.some((question) => question === undefined))
		return { refused: "It asked with options that cannot be shown." };
	return {
		subject: {
			kind: "form",
			server,
			message: plainText(message, MAX_MESSAGE_CHARS),
			questions: questions.filter((question) => question !== undefined),
		},
		read: (answer) => {
			if (answer === undefined) return { action: "cancel" };
			if (answer.answers === undefined) return { action: "decline" };
			const content = Object.entries(answer.answers).flatMap(([id, given]) => {
				const value = asValue(requestedSchema.properties[id], given);
				return value === undefined ? [] : [[id, value] as const];
			});
			return { action: "accept", content: Object.fromEntries(content) };
		},
	};
}

/** "userPassword" and "user_password" hide no word. */
function spell(id: string): string {
	return id.replaceAll(/([a-z])([A-Z])/g, "$1 $2").replaceAll(/[_.-]/g, " ");
}

/** An address is shown whole and opened by the user; nothing here fetches it. */
function readAddress(server: string, { message, url }: z.infer<typeof Address>): Elicitation {
	const address = URL.canParse(url) ? new URL(url) : undefined;
	const isPlain = address !== undefined && address.username === "" && address.password === "";
	if (!isPlain || address.protocol !== "https:")
		return { refused: "It asked to open an address that is not plain https." };
	return {
		subject: { kind: "address", server, message: plainText(message, MAX_MESSAGE_CHARS), url: address.href },
		read: (answer) => ({ action: answer === undefined ? "cancel" : answer.choice === "open" ? "accept" : "decline" }),
	};
}

function asQuestion(id: string, field: Field, isRequired: boolean): AskedQuestion | undefined {
	const options = optionsOf(field).map(({ label }) => label);
	const isChoice = options.length > 0;
	const fits = options.length <= MAX_OPTIONS && new Set(options).size === options.length;
	if (!fits || options.some((label) => label === "") || (field.type === "array" && !isChoice)) return undefined;
	const text = plainText(field.description ?? field.title ?? id, MAX_TEXT_CHARS) || id;
	const preset = presetOf(field);
	return {
		id,
		text,
		...(field.description !== undefined &&
			field.title !== undefined && { header: plainText(field.title, MAX_HEADER_CHARS) }),
		options: options.map((label) => ({ label, ...(preset.includes(label) && { recommended: true as const }) })),
		...(field.type === "array" && { multiple: true as const }),
		...(!isChoice && { input: inputOf(field), initial: preset[0] ?? "" }),
		...(isRequired && { required: true as const }),
	};
}

function inputOf({ type }: Field): "text" | "number" | "integer" {
	return type === "number" || type === "integer" ? type : "text";
}

/** What can be chosen, with the values behind it. True and false are the same in every language. */
function optionsOf({
	type,
	enum: plain,
	oneOf,
	items,
}: Field): readonly { readonly label: string; readonly value: string }[] {
	if (type === "boolean") return ["true", "false"].map((value) => ({ label: value, value }));
	const titled =
		oneOf ?? items?.anyOf ?? (plain ?? items?.enum ?? []).map((value) => ({ const: value, title: undefined }));
	return titled.map(({ const: value, title }) => ({ label: plainText(title ?? value, MAX_LABEL_CHARS), value }));
}

function presetOf(field: Field): readonly string[] {
	const given = Array.isArray(field.default) ? field.default : [field.default];
	const values = given.filter((value) => ["string", "number", "boolean"].includes(typeof value)).map(String);
	const options = optionsOf(field);
	if (options.length === 0) return values.map((value) => plainText(value, MAX_TEXT_CHARS));
	return options.filter(({ value }) => values.includes(value)).map(({ label }) => label);
}

type Given = NonNullable<QuestionAnswer["answers"]>[string];

function asValue(
	field: Field | undefined,
	{ chosen, text = "" }: Given,
): string | number | boolean | string[] | undefined {
	if (field === undefined) return undefined;
	const values = optionsOf(field).flatMap(({ label, value }) => (chosen.includes(label) ? [value] : []));
	switch (field.type) {
		case "array":
			return values;
		case "boolean":
			return values[0] === undefined ? undefined : values[0] === "true";
		case "number":
		case "integer":
			return Number.isFinite(Number(text)) ? Number(text) : undefined;
		case "string":
			return values[0] ?? text;
	}
}
