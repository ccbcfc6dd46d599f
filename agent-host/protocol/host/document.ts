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

export const documentUnsaved = defineMethod(
	"document/unsaved",
	"Sent by the host before it reads or patches a file that is open, or a notebook: whether it has unsaved changes in the editor. Only then its text there counts.",
	{
		params: z.object({ uri: z.string() }),
		result: z.object({ isUnsaved: z.boolean() }),
	},
);
