import { readChatSettings } from "../../extension/facts/chat-settings.ts";
import type { NextTurn, PanelState } from "../../media/wire.ts";

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

/** What the host says of the next turn of a thread. */
export function aNextTurn(change: Partial<NextTurn> = {}): NextTurn {
	return {
		threadId: null,
		mode: "workspaceWrite",
		name: "Workspace, network off",
		model: "gpt-5.1",
		readsImages: true,
		cwd: "/repo/app",
		isFolderOpen: true,
		plans: false,
		isLive: false,
		commands: true,
		isContained: true,
		prompts: [],
		context: { tokens: 2_000, effectiveWindow: 10_000 },
		...change,
	};
}
