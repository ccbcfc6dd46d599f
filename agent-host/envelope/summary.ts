import { sayPolicyName } from "../permissions/words/policy-words.ts";
import { nameSaid } from "../protocol/say.ts";
import type { EnvelopeSummary } from "../protocol/thread/events.ts";
import type { TurnEnvelope } from "./envelope.ts";

/** The part of the envelope that a client may see: no instructions, and no address that a secret is sent to. */
export function summarizeEnvelope(envelope: TurnEnvelope): EnvelopeSummary {
	const { identity, workspace, capabilities, policy, modes } = envelope;
	const name = sayPolicyName(policy.value);
	return {
		provider: identity.provider,
		model: identity.model,
		window: identity.budgets.window,
		windowSource: identity.windowSource,
		...(workspace.cwd === undefined ? {} : { cwd: workspace.cwd }),
		roots: [...workspace.roots],
		trusted: workspace.trusted,
		tools: [...capabilities.tools],
		permissions: name.text,
		permissionsSaid: nameSaid(name),
		permissionMode: policy.value.mode,
		approval: policy.value.approval,
		...(modes.collaboration === "default" ? {} : { collaboration: modes.collaboration }),
	};
}
