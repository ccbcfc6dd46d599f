import type { HookEvent, TurnEnvelope } from "../../envelope/envelope.ts";

/** What is different from event to event. */
export interface HookFields {
	readonly prompt?: string;
	readonly source?: "startup" | "resume";
	readonly trigger?: "manual" | "auto";
	readonly custom_instructions?: string;
	readonly stop_hook_active?: boolean;
	readonly tool_name?: string;
	readonly tool_input?: Readonly<Record<string, unknown>>;
	readonly tool_use_id?: string;
	readonly tool_response?: string;
	readonly reason?: "other";
}

/** What a hook reads on its standard input: the fields that other agents send, too. Thread files stay closed. */
export function writeHookInput(
	event: HookEvent,
	{ identity, workspace, policy, modes }: Pick<TurnEnvelope, "identity" | "workspace" | "policy" | "modes">,
	fields: HookFields,
): string {
	const mode = modes.collaboration === "plan" ? "plan" : policy.value.mode === "full" ? "bypassPermissions" : "default";
	return JSON.stringify({
		session_id: identity.threadId,
		turn_id: identity.turnId,
		transcript_path: null,
		cwd: workspace.cwd,
		hook_event_name: event,
		model: identity.model,
		permission_mode: mode,
		...(identity.agent && { agent_id: identity.threadId, agent_type: identity.agent.role }),
		...fields,
	});
}

/** The arguments of a call as hooks of other agents expect them: a command is one text, an edit of one file names it. */
export function describeToolInput(name: string, rawArguments: string): Readonly<Record<string, unknown>> {
	const input = parseArguments(rawArguments);
	if (name === "run_command" && Array.isArray(input.command)) return { ...input, command: input.command.join(" ") };
	if (name !== "apply_patch" || typeof input.patch !== "string") return input;
	const files = [...input.patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm)].map(([, path = ""]) => path);
	return files.length === 1 ? { ...input, file_path: files[0] } : input;
}

function parseArguments(raw: string): Readonly<Record<string, unknown>> {
	try {
		const value: unknown = JSON.parse(raw === "" ? "{}" : raw);
		if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
	} catch {
		// A patch may be plain text.
	}
	return { patch: raw };
}
