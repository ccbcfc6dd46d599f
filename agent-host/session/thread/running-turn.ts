import type { Fragment } from "../../context/fragment.ts";
import type { Identity, TurnEnvelope } from "../../envelope/envelope.ts";
import type { UserImage } from "../../history/history-item.ts";
import type { ModelClient } from "../../model/port.ts";
import type { CommandRule } from "../../protocol/settings/policy-settings.ts";
import type { TurnError } from "../../protocol/thread/events.ts";
import type { CommandCall } from "../../tools/command-call.ts";
import type { ToolPorts } from "../../tools/tool.ts";
import type { Ports } from "../ports/ports.ts";
import type { Draft, LiveThread } from "./live-thread.ts";
import type { Spending } from "./spending.ts";

/** How a turn ends that its host did not live to finish; the user did not stop it. */
export const HOST_ENDED: TurnError = {
	code: "host-ended",
	message: "The agent host stopped before the turn was done.",
};

export interface ModelInUse {
	readonly identity: Identity;
	readonly client: ModelClient;
}

/** What a call needs of the turn that it runs in. */
export type ToolContext = Pick<
	Turn,
	| "thread"
	| "envelope"
	| "tools"
	| "ports"
	| "hosts"
	| "isTrusted"
	| "keepRule"
	| "keepReading"
	| "keepHost"
	| "signal"
	| "stop"
>;

export type AskHost = NonNullable<CommandCall["askHost"]>;

/** The questions about hosts that the commands of one turn ask for. */
export interface HostApprovals {
	/** For one command that the turn starts now. */
	readonly askFor: (turn: ToolContext, call: { readonly callId: string }, title: string) => AskHost;
	/** The turn ends: what waits is withdrawn, and commands that go on cannot ask. Resolves when all of it is recorded. */
	readonly close: () => Promise<void>;
}

/** All that a running turn works with. */
export interface Turn {
	readonly thread: LiveThread;
	readonly envelope: TurnEnvelope;
	readonly prompt: string;
	/** What came with the prompt. */
	readonly images: readonly UserImage[];
	readonly model: ModelClient;
	/** The model of the turn before, when it was another one. */
	readonly previous?: ModelInUse | undefined;
	readonly tools: ToolPorts;
	readonly spending: Spending;
	/** What the user did with the agent's changes and the model has not heard of, and what to record once it has. */
	readonly reviewed: () => Promise<{ readonly fragments: readonly Fragment[]; readonly drafts: readonly Draft[] }>;
	/** Done before the end is recorded, however the turn ends. */
	readonly atEnd: () => Promise<void>;
	/** Trust as it is now; a workspace can lose it without an event. It may only refuse what the envelope allows. */
	readonly isTrusted: () => boolean;
	/** A kind of command that the user has allowed for good, from the next turn on. */
	readonly keepRule: (rule: CommandRule) => void;
	/** Places that commands may read for good, from the next turn on. */
	readonly keepReading: (paths: readonly string[]) => void;
	/** A host that commands may reach for good, from the next turn on, as a line of the list. */
	readonly keepHost: (rule: string) => void;
	/** Questions about hosts that are not on the list. */
	readonly hosts: HostApprovals;
	readonly ports: Ports;
	readonly signal: AbortSignal;
	/** Ends the turn as the user's Stop does. */
	readonly stop: () => void;
}
