import * as z from "zod";
import { defineMethod } from "../method.ts";

export const documentSave = defineMethod(
	"document/save",
	"Asked by the host after it has edited an open document that had no unsaved changes (`workspace/applyEdit`).",
	{
		params: z.object({ uri: z.string() }),
		result: z.object({ saved: z.boolean() }),
	},
);
