import type { AgentOrigin } from "../../../agent-host/protocol/agent.ts";
import { t } from "../../../l10n/t.ts";
import { showInvisible } from "../../model/words/invisible.ts";

/** Which sub-agent asks; nothing if it is the agent that the user writes to. */
export function AskingAgent({ agent }: { readonly agent: AgentOrigin | undefined }) {
	if (agent === undefined) return null;
	return <p class="quiet asking-agent">{showInvisible(t("Agent {0} ({1}) asks", agent.name, agent.role))}</p>;
}
