import type { Fragment } from "../../context/fragment.ts";
import type { Identity, TurnEnvelope } from "../../envelope/envelope.ts";
import type { UserImage } from "../../history/history-item.ts";
import type { ModelClient } from "../../model/port.ts";
import type { TurnId } from "../../protocol/ids.ts";
import type { Said } from "../../protocol/say.ts";
import type { CommandRule, ServerToolRule } from "../../protocol/settings/policy-settings.ts";
import type { TurnError } from "../../protocol/thread/events.ts";
import type { CommandCall } from "../../tools/command-call.ts";
import type { ToolPorts } from "../../tools/tool-ports.ts";
import type { BringsAlong } from "../brought/brought.ts";
import type { JudgedCustomization } from "../brought/consents.ts";
import type { RunHook } from "../brought/run-hook.ts";
import type { Ports } from "../ports/ports.ts";
import type { Draft, LiveThread } from "./live-thread.ts";
import type { Spending } from "./spending.ts";
import type { Touched } from "./touched.ts";

/** The error of a turn that its host did not live to finish; the user did not stop it. */
export const HOST_ENDED: TurnError = {
	code: "host-ended",
	message: "The agent host stopped before the turn was done.",
};

export interface ModelInUse {
	readonly identity: Identity;
	readonly client: ModelClient;
}

/** The part of a turn that a call needs. */
export type ToolContext = Pick<
	Turn,
	| "thread"
	| "envelope"
	| "tools"
	| "ports"
	| "hosts"
	| "touched"
	| "runHook"
	| "mustAsk"
	| "isTrusted"
	| "addRule"
	| "addReading"
	| "addHost"
	| "addServerTool"
	| "signal"
	| "stop"
>;

export type AskHost = NonNullable<CommandCall["askHost"]>;

/** The host approvals of one turn's commands. */
export interface HostApprovals {
	/** For one command that the turn starts now. */
	readonly askFor: (turn: ToolContext, call: { readonly callId: string }, title: Said) => AskHost;
	/**
	 * The turn ends: pending approvals are withdrawn, and background commands cannot ask. Resolves when everything is
	 * recorded.
	 */
	readonly close: () => Promise<void>;
}

/** What the workspace brings along, for one turn. */
export interface TurnCustomizations extends Pick<BringsAlong, "claim" | "release" | "settle"> {
	/** What the user has not judged yet. */
	readonly unasked: readonly JudgedCustomization[];
	/** The turn with what is agreed to by now; only before its first request. */
	readonly reseal: (turn: Pick<Turn, "envelope" | "tools">) => Promise<Pick<Turn, "envelope" | "tools">>;
}

/** The sub-agents of a turn's thread. */
export interface TurnAgents {
	readonly isAnyWorking: () => boolean;
	/** Before the first step: what became of those that another host did not live to see end. */
	readonly beginTurn: () => Promise<void>;
	/** Resolves when there is something to read, or none works. */
	readonly wait: (signal: AbortSignal) => Promise<void>;
}

/** Everything that a running turn uses. */
export interface Turn {
	readonly thread: LiveThread;
	readonly envelope: TurnEnvelope;
	readonly prompt: string;
	/** Skills that are part of the input, besides those that the prompt names. */
	readonly skillsAsked: readonly { readonly name: string; readonly arguments?: string | undefined }[];
	/** The images of the prompt. */
	readonly images: readonly UserImage[];
	/** The unfinished turn in which the model has read the same prompt. */
	readonly repeats: TurnId | undefined;
	readonly model: ModelClient;
	/** The model of the previous turn, if it was a different one. */
	readonly previous?: ModelInUse | undefined;
	readonly tools: ToolPorts;
	readonly spending: Spending;
	/** The user's review actions that the model was not told yet, and what to record once it has been. */
	readonly reviewed: () => Promise<{ readonly fragments: readonly Fragment[]; readonly drafts: readonly Draft[] }>;
	/** Runs before the end is recorded, however the turn ends. */
	readonly atEnd: () => Promise<void>;
	/** Current trust; a workspace can lose it without an event. It can only refuse what the envelope allows. */
	readonly isTrusted: () => boolean;
	/** Always allows a kind of command, from the next turn on. */
	readonly addRule: (rule: CommandRule) => void;
	/** Always lets commands read these places, from the next turn on. */
	readonly addReading: (paths: readonly string[]) => void;
	/** Always lets commands reach a host, from the next turn on; a line of the list. */
	readonly addHost: (rule: string) => void;
	/** What people bring along. */
	readonly customizations: TurnCustomizations;
	/** Always allows a tool of an MCP server, from the next turn on. */
	readonly addServerTool: (rule: ServerToolRule) => void;
	readonly agents: TurnAgents;
	/** Runs a hook in the sandbox. */
	readonly runHook: RunHook;
	/** Why the user has to decide about a call that needs no approval, if a hook wants that. */
	readonly mustAsk?: string;
	/** Approvals for unlisted hosts. */
	readonly hosts: HostApprovals;
	/** Where its calls have worked. */
	readonly touched: Touched;
	readonly ports: Ports;
	readonly signal: AbortSignal;
	/** Ends the turn as the user's Stop does. */
	readonly stop: () => void;
}
