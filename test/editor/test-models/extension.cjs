const vscode = require("vscode");

const MODEL = {
	id: "parrot",
	name: "Parrot",
	family: "parrot",
	version: "1",
	maxInputTokens: 64_000,
	maxOutputTokens: 4_000,
	capabilities: { toolCalling: true },
};

/** A model and a tool of the editor's, from another extension. The model repeats the last prompt, and refuses when that asks it to. */
exports.activate = (context) => {
	context.subscriptions.push(
		vscode.lm.registerLanguageModelChatProvider("test-models", {
			provideLanguageModelChatInformation: () => [MODEL],
			provideLanguageModelChatResponse: async (_model, messages, _options, progress) => {
				const words = textOf(messages.at(-1));
				if (words.includes("refuse")) throw vscode.LanguageModelError.NoPermissions("The user did not agree.");
				for (const part of ["Parrot says: ", words]) progress.report(new vscode.LanguageModelTextPart(part));
			},
			provideTokenCount: (_model, text) => Math.ceil((typeof text === "string" ? text : textOf(text)).length / 4),
		}),
		vscode.lm.registerTool("count_cats", {
			invoke: async ({ input }) =>
				new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(`3 cats in ${input.place}.`)]),
		}),
	);
};

function textOf(message) {
	return message.content.map((part) => part.value ?? "").join("");
}
