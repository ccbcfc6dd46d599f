import * as vscode from "vscode";
import {
	type EditorToolPart,
	type editorToolList,
	MAX_ABOUT_CHARS,
	MAX_IMAGE_CHARS,
	MAX_RESULT_CHARS,
	MAX_RESULT_PARTS,
} from "../../agent-host/protocol/host/editor-tools.ts";
import type { ResultOf } from "../../agent-host/protocol/method.ts";
import { EditorToolsSettings } from "../../agent-host/protocol/settings/editor-tool-settings.ts";
import { ownSetting } from "../facts/own-setting.ts";
import type { ClientHandlers } from "./client-handlers.ts";

/** Lists and calls tools of the editor: those that the user's own settings name, in a trusted workspace, and no others. */
export const EDITOR_TOOL_HANDLERS: Pick<ClientHandlers, "editorToolList" | "editorToolCall"> = {
	editorToolList: async ({ names }) => ({ tools: listTools().filter(({ name }) => names.includes(name)) }),
	editorToolCall: async ({ name, input }, token) => {
		if (!listTools().some((tool) => tool.name === name)) throw new Error("The editor does not offer this tool now.");
		// Without a token of a chat the editor asks the user itself, unless they have told it not to.
		const result = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, token);
		return { content: readParts(result.content) };
	},
};

function listTools(): ResultOf<typeof editorToolList>["tools"] {
	const allowed = vscode.workspace.isTrusted
		? (EditorToolsSettings.safeParse(ownSetting("vitrine.editorTools")).data ?? [])
		: [];
	return vscode.lm.tools
		.filter(({ name }) => allowed.includes(name))
		.map(({ name, description, inputSchema }) => ({
			name,
			description: description.slice(0, MAX_ABOUT_CHARS),
			inputSchema: (inputSchema ?? {}) as Record<string, unknown>,
		}));
}

/** What a tool answered, within the limits of the protocol. */
function readParts(content: readonly unknown[]): EditorToolPart[] {
	let left = MAX_RESULT_CHARS;
	return content.slice(0, MAX_RESULT_PARTS).map((part): EditorToolPart => {
		if (part instanceof vscode.LanguageModelTextPart) {
			const text = part.value.slice(0, left);
			left -= text.length;
			return { type: "text", text };
		}
		if (!(part instanceof vscode.LanguageModelDataPart)) return { type: "other", mimeType: "an unknown part" };
		const data = part.mimeType.startsWith("image/") ? Buffer.from(part.data).toString("base64") : undefined;
		if (data !== undefined && data.length <= MAX_IMAGE_CHARS) return { type: "image", data };
		return { type: "other", mimeType: part.mimeType.slice(0, 200) };
	});
}
