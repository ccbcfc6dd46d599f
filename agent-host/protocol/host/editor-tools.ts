import * as z from "zod";
import { defineMethod } from "../method.ts";
import { EditorToolName, MAX_EDITOR_TOOLS } from "../settings/editor-tool-settings.ts";

/** Limits of what a client may answer; it cuts. */
export const MAX_RESULT_CHARS = 1_000_000;
export const MAX_RESULT_PARTS = 100;
export const MAX_IMAGE_CHARS = 10_000_000;
export const MAX_ABOUT_CHARS = 10_000;

const Part = z.discriminatedUnion("type", [
	z.object({ type: z.literal("text"), text: z.string().max(MAX_RESULT_CHARS) }),
	/** In Base64. */
	z.object({ type: z.literal("image"), data: z.string().max(MAX_IMAGE_CHARS) }),
	/** Something else, by its media type. */
	z.object({ type: z.literal("other"), mimeType: z.string().max(200) }),
]);
export type EditorToolPart = z.infer<typeof Part>;

export const editorToolList = defineMethod(
	"editorTool/list",
	"Sent by the host: those of the named tools that the editor has now. Only tools that the user's own settings name are listed, and none in Restricted Mode.",
	{
		params: z.object({ names: z.array(EditorToolName).max(MAX_EDITOR_TOOLS) }),
		result: z.object({
			tools: z
				.array(
					z.object({
						name: z.string().max(128),
						description: z.string().max(MAX_ABOUT_CHARS),
						inputSchema: z.record(z.string(), z.unknown()),
					}),
				)
				.max(MAX_EDITOR_TOOLS),
		}),
	},
);

export const editorToolCall = defineMethod(
	"editorTool/call",
	"Sent by the host after its own approval: calls a tool of the editor, which may ask the user, too. Refused unless the user's own settings name the tool.",
	{
		params: z.object({ name: EditorToolName, input: z.record(z.string(), z.unknown()) }),
		result: z.object({
			content: z.array(Part).max(MAX_RESULT_PARTS),
			/** It failed; `content` says why. */
			isError: z.boolean().optional(),
		}),
	},
);
