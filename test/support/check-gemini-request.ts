import * as z from "zod";

const Part = z
	.strictObject({
		text: z.string().optional(),
		inlineData: z.strictObject({ mimeType: z.string(), data: z.string().min(1) }).optional(),
		functionCall: z
			.strictObject({ id: z.string().optional(), name: z.string(), args: z.record(z.string(), z.unknown()) })
			.optional(),
		functionResponse: z
			.strictObject({ id: z.string().optional(), name: z.string(), response: z.record(z.string(), z.unknown()) })
			.optional(),
		thoughtSignature: z.string().min(1).optional(),
	})
	.refine(({ thoughtSignature: _, ...data }) => Object.keys(data).length === 1, "a part has exactly one kind of data");
const Content = z.strictObject({ role: z.enum(["user", "model"]), parts: z.array(Part).min(1) });

/** The fields that Google documents and this product has a reason to send. */
const Body = z.strictObject({
	systemInstruction: z.strictObject({ parts: z.array(z.strictObject({ text: z.string().min(1) })).min(1) }).optional(),
	contents: z.array(Content).min(1),
	tools: z
		.tuple([
			z.strictObject({
				functionDeclarations: z
					.array(
						z.strictObject({
							name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/),
							description: z.string(),
							parametersJsonSchema: z.looseObject({}),
						}),
					)
					.min(1),
			}),
		])
		.optional(),
	generationConfig: z
		.strictObject({
			thinkingConfig: z
				.strictObject({
					includeThoughts: z.boolean().optional(),
					thinkingLevel: z.enum(["MINIMAL", "LOW", "MEDIUM", "HIGH"]).optional(),
					thinkingBudget: z.int().min(-1).max(32_768).optional(),
				})
				.optional(),
			responseMimeType: z.string().optional(),
			responseJsonSchema: z.looseObject({}).optional(),
		})
		.optional(),
});

type Content = z.infer<typeof Content>;

/** What Gemini's API would refuse about a request, as its documentation says; nothing if it would take it. */
export function problemsInGemini(raw: unknown): readonly string[] {
	const parsed = Body.safeParse(raw);
	if (!parsed.success) return [z.prettifyError(parsed.error)];
	const { contents, tools } = parsed.data;
	const names = tools?.[0].functionDeclarations.map(({ name }) => name) ?? [];
	return [
		...(contents[0]?.role === "user" ? [] : ["the first content is not the user's"]),
		...(contents.at(-1)?.role === "user" ? [] : ["the last content is the model's"]),
		...(new Set(names).size < names.length ? ["two tools with one name"] : []),
		...contents.flatMap((content, index) => problemsAt(content, contents[index - 1], contents[index + 1])),
	];
}

function problemsAt(
	{ role, parts }: Content,
	before: Content | undefined,
	after: Content | undefined,
): readonly string[] {
	const found: string[] = [];
	const calls = parts.flatMap(({ functionCall }) => functionCall ?? []);
	const answers = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
	const answered = (after?.parts ?? []).flatMap(({ functionResponse }) => functionResponse ?? []);
	if (role === "model" && before?.role === "model") found.push("two contents of the model in a row");
	if (role === "user" && calls.length > 0) found.push("a call of the user's");
	if (role === "model" && answers.length > 0) found.push("a result of the model's");
	if (JSON.stringify(calls.map(nameOf)) !== JSON.stringify(answered.map(nameOf)) && role === "model") {
		found.push(`calls ${calls.map(nameOf).join()} are answered by ${answered.map(nameOf).join() || "nothing"}`);
	}
	if (answers.length > 0 && answers.length < parts.length) found.push("results mixed with something else");
	if (answers.length > 0 && before?.role !== "model") found.push("results without calls");
	const isEmpty = ({ text, thoughtSignature }: Content["parts"][number]) =>
		text === "" && thoughtSignature === undefined;
	if (parts.some(isEmpty)) found.push("an empty text without a signature");
	return found;
}

function nameOf({ id = "", name }: { readonly id?: string | undefined; readonly name: string }): string {
	return `${name} ${id}`;
}
