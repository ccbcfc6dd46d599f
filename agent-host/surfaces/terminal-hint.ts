import type { TurnError } from "../protocol/thread/events.ts";

/** What stands for a setting when there is no editor. */
const OPTIONS: Readonly<Record<string, string>> = {
	"vitrine.model.baseUrl": "--base-url",
	"vitrine.model.wire": "--wire",
	"vitrine.model.id": "--model",
};

/** The remedy on the command line for an error whose sentence names the editor's; empty if it names none. */
export function hintFor({ code, message }: Pick<TurnError, "code" | "message">): string {
	if (code === "auth") return " On the command line, set VITRINE_API_KEY.";
	const named = Object.keys(OPTIONS).filter((setting) => message.includes(setting));
	const options = new Set([...(code === "model-not-set-up" ? ["--model"] : []), ...named.map((name) => OPTIONS[name])]);
	return options.size === 0 ? "" : ` On the command line, use ${[...options].sort().join(" and ")}.`;
}

/** After an answer of the demo model, which only knows how to set up a model in the editor. */
export const DEMO_HINT =
	"This was the demo model. For a real one, use --model and set VITRINE_API_KEY, or use --base-url for a server of your own.";
