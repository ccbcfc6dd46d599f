import * as z from "zod";
import { defineMethod } from "../method.ts";

export const documentEncoding = defineMethod(
	"document/encoding",
	"Sent by the host about a file that is not UTF-8: the encoding that the editor uses for it, by the editor's name.",
	{
		params: z.object({ uri: z.string() }),
		result: z.object({ encoding: z.string().optional() }),
	},
);

export const documentSave = defineMethod(
	"document/save",
	"Sent by the host after it edited an open document that had no unsaved changes (`workspace/applyEdit`).",
	{
		params: z.object({ uri: z.string() }),
		result: z.object({ saved: z.boolean() }),
	},
);

export const notebookUnsaved = defineMethod(
	"notebook/unsaved",
	"Sent by the host before it reads or patches a notebook: whether it is open in the editor with unsaved changes.",
	{
		params: z.object({ uri: z.string() }),
		result: z.object({ isUnsaved: z.boolean() }),
	},
);
