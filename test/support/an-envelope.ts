import type { TurnEnvelope, Workspace } from "../../agent-host/envelope/envelope.ts";
import { type Observed, sealEnvelope, type TurnRequest } from "../../agent-host/envelope/resolve.ts";
import { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import { Settings } from "../../agent-host/protocol/settings.ts";

/** An envelope of a small workspace with the demo model; a test names only what it is about. */
export function anEnvelope(
	change: { readonly workspace?: Partial<Workspace>; readonly request?: Partial<TurnRequest> } = {},
): TurnEnvelope {
	const request: TurnRequest = {
		threadId: ThreadId.parse("thread-1"),
		turnId: TurnId.parse("turn-1"),
		settings: Settings.parse({}),
		model: { id: "demo", window: 16_000 },
		baseInstructions: "Be helpful.",
		tools: [{ name: "read_file", needs: "read" }],
		...change.request,
	};
	return sealEnvelope(request, anObserved(change.workspace));
}

export function anObserved(workspace: Partial<Workspace> = {}): Observed {
	return {
		workspace: {
			cwd: "/repo",
			roots: ["/repo"],
			machine: "linux 6 x64",
			now: 1_800_000_000_000,
			date: "2027-01-15",
			timeZone: "UTC",
			trusted: true,
			...workspace,
		},
		surface: { name: "test", version: "1" },
	};
}
