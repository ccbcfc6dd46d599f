import * as z from "zod";
import { editsToPatch } from "../patch/edits-to-patch.ts";
import { say } from "../protocol/say.ts";
import { lookAtPatch, touchesNothing } from "./apply-patch.ts";
import { showPath } from "./list-places.ts";
import { findPlace, NO_EDITOR, SymbolAt } from "./locate-symbol.ts";
import { defineTool } from "./tool.ts";

export const renameSymbol = defineTool({
	name: "rename_symbol",
	description: "Rename a symbol everywhere. Prefer it to many edits.",
	needs: "rename",
	kind: "fileChange",
	input: SymbolAt.extend({ newName: z.string().min(1).max(500) }),
	title: ({ symbol, newName }) => say("call-rename", { symbol, newName }),
	async look(input, at, ports) {
		const { language } = ports;
		if (language === undefined) return touchesNothing(NO_EDITOR);
		const found = await findPlace(input, at, language);
		if (!found.ok) return touchesNothing(found.reason);
		const told = await language.rename(found.place, input.newName, new AbortController().signal);
		if (!told.ok) return touchesNothing(told.reason);
		const named = told.files.map((file) => ({ ...file, path: showPath(file.path, at(".")) }));
		const edited = editsToPatch(named);
		// From here on it is a patch: judged, shown, undone and reviewed as one.
		return edited.ok ? lookAtPatch(edited.patch, at, ports) : touchesNothing(edited.reason);
	},
});
