import { EDITOR_AS_SERVER, type Offer, type ServerTool } from "../../envelope/envelope.ts";
import { digestValue } from "../../permissions/policy/policy.ts";
import { readCatalogue } from "./catalogue.ts";
import { joinNames } from "./offer.ts";

export interface OfferedEditorTools {
	readonly tools: readonly ServerTool[];
	/** Why something is missing, one sentence each. */
	readonly notes: readonly string[];
}

/** Tools of the editor as the model is offered them, within the limits of those of servers, and only those that the user named. */
export function offerEditorTools(listed: readonly unknown[], names: readonly string[]): OfferedEditorTools {
	const { tools, notes } = readCatalogue(listed);
	return {
		tools: tools
			.filter(({ name }) => names.includes(name))
			.map(({ name, description, parameters }) => ({
				...{ name: joinNames("editor", name), server: EDITOR_AS_SERVER, tool: name, description, parameters },
				digest: digestValue({ server: EDITOR_AS_SERVER, name, description, parameters }),
			})),
		notes,
	};
}

/** What the model is told of them. */
export function describeEditorTools({ length }: readonly ServerTool[], how: "listed" | "found"): readonly Offer[] {
	if (length === 0) return [];
	const where = how === "listed" ? "named editor__…" : "not listed: look for them with find_server_tools";
	return [{ name: EDITOR_AS_SERVER, about: `${length} ${length === 1 ? "tool" : "tools"}, ${where}` }];
}
