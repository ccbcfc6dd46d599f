import type { InstructionFile } from "../../envelope/envelope.ts";
import { oneLine } from "../../permissions/words/one-line.ts";
import { defineFragment } from "../fragment.ts";

export interface UserInstructions {
	/** The user's text from the settings. */
	readonly developer: string;
	readonly files: readonly InstructionFile[];
	readonly maxChars: number;
	readonly state: "first" | "replaced" | "removed";
}

/** The user's and the workspace's instructions, outermost first. */
export const userInstructions = defineFragment<UserInstructions>({
	kind: "user-instructions",
	role: "user",
	tag: "user_instructions",
	origin: "workspace",
	maxChars: 400_000,
	about: "The user's own file and settings text, and the AGENTS.md chain of a trusted workspace, with what it imports.",
	summary: ({ files, developer, state }) => {
		if (state === "removed") return "instructions removed";
		const names = [...(developer === "" ? [] : ["settings"]), ...files.map(({ path }) => path)];
		return `instructions${state === "replaced" ? " changed" : ""}: ${names.join(", ")}`;
	},
	body: ({ developer, files, maxChars, state }) => {
		if (state === "removed") return "The earlier instructions no longer apply.";
		const parts = [
			...(developer === "" ? [] : [`From the user's settings:\n${developer}`]),
			...files.map(({ path, text, cut }) => `From ${oneLine(path)}${cut === undefined ? "" : ` (${cut})`}:\n${text}`),
		];
		const notice = state === "replaced" ? "These replace all earlier instructions.\n\n" : "";
		return notice + within(parts.join("\n\n"), maxChars);
	},
});

function within(text: string, maxChars: number): string {
	return text.length <= maxChars
		? text
		: `${text.slice(0, maxChars)}\n[truncated: ${text.length - maxChars} more characters do not fit in the context window]`;
}
