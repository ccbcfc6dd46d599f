import * as z from "zod";
import { defineMethod } from "../method.ts";

export const documentSave = defineMethod(
	"document/save",
	"Sent by the host after it edited an open document that had no unsaved changes (`workspace/applyEdit`).",
	{
		params: z.object({ uri: z.string() }),
		result: z.object({ saved: z.boolean() }),
	},
);
