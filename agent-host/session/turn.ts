import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { ModelClient } from "../model/port.ts";
import type { ToolPorts } from "../tools/tool.ts";
import type { LiveThread } from "./live-thread.ts";
import type { Ports } from "./ports.ts";

/** All that a running turn works with. */
export interface Turn {
	readonly thread: LiveThread;
	readonly envelope: TurnEnvelope;
	readonly prompt: string;
	readonly model: ModelClient;
	readonly tools: ToolPorts;
	readonly ports: Ports;
	readonly signal: AbortSignal;
}
