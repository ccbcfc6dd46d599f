import { readChatSettings } from "../../extension/facts/chat-settings.ts";
import type { PanelState } from "../../media/wire.ts";

export function aPanel(change: Partial<PanelState> = {}): PanelState {
	return {
		host: { state: "ready" },
		trusted: true,
		folders: ["app"],
		model: { provider: "openai", label: "gpt-5.1", incomplete: false },
		chat: readChatSettings(() => undefined),
		...change,
	};
}
