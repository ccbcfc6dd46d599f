import type { TurnEnvelope } from "../envelope/envelope.ts";
import type { Span } from "../protocol/host/telemetry.ts";
import type { TokenCount, TurnPurpose } from "../protocol/thread/events.ts";

export type Labels = Span["attributes"];

/** Length limit of a name from outside. */
const MAX_NAME_CHARS = 100;
/** Length limit of a message, if the user wants messages in traces. */
const MAX_CONTENT_CHARS = 8_000;

/** The settings of a turn, without any content. */
export function turnLabels(envelope: TurnEnvelope, purpose: TurnPurpose | undefined): Labels {
	const { identity, policy, modes, workspace } = envelope;
	const { reasoningEffort } = identity.request;
	return {
		"gen_ai.operation.name": "invoke_agent",
		"gen_ai.agent.name": "vitrine",
		"gen_ai.conversation.id": identity.threadId,
		...modelLabels(identity),
		"vitrine.turn.id": identity.turnId,
		"vitrine.turn.purpose": purpose ?? "conversation",
		"vitrine.thread.source": identity.source,
		"vitrine.surface": `${identity.surface.name} ${identity.surface.version}`.slice(0, MAX_NAME_CHARS),
		...(reasoningEffort === undefined ? {} : { "vitrine.reasoning_effort": reasoningEffort }),
		"vitrine.mode": modes.collaboration,
		"vitrine.permission_mode": policy.value.mode,
		"vitrine.approval": policy.value.approval,
		"vitrine.policy.digest": policy.digest,
		"vitrine.sandbox": policy.sandbox,
		"vitrine.trusted": workspace.trusted,
	};
}

export function requestLabels(identity: TurnEnvelope["identity"], model: string): Labels {
	return { "gen_ai.operation.name": "chat", ...modelLabels(identity), "gen_ai.request.model": model };
}

function modelLabels({ provider, model, family, baseUrl }: TurnEnvelope["identity"]): Labels {
	const server = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
	return {
		"gen_ai.provider.name": provider,
		"gen_ai.request.model": model,
		"vitrine.model.family": family,
		...(server === undefined ? {} : { "server.address": server.hostname }),
		...(server === undefined || server.port === "" ? {} : { "server.port": Number(server.port) }),
	};
}

export function usageLabels({ input, cached, output, reasoning }: TokenCount): Labels {
	return {
		"gen_ai.usage.input_tokens": input,
		"gen_ai.usage.output_tokens": output,
		"vitrine.usage.cached_tokens": cached,
		"vitrine.usage.reasoning_tokens": reasoning,
	};
}

/** A name that a model made up, short and on one line. */
export function plainName(name: string): string {
	return name.replaceAll(/\p{Cc}/gu, "").slice(0, MAX_NAME_CHARS);
}

/** One message in OpenTelemetry's form. */
export function messageLabel(role: "user" | "assistant", text: string): string {
	return JSON.stringify([
		{ role, parts: [{ type: "text", content: text.slice(0, MAX_CONTENT_CHARS).toWellFormed() }] },
	]);
}
