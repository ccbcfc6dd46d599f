import type { TurnEnvelope } from "../../envelope/envelope.ts";
import { type Observed, sealEnvelope } from "../../envelope/resolve-envelope.ts";
import { NO_TOKENS } from "../../history/token-usage.ts";
import { ModelFailure } from "../../model/port.ts";
import { resolveModel } from "../../model/resolve-model.ts";
import { isInside } from "../../permissions/reach/reach.ts";
import { HostError } from "../../protocol/errors.ts";
import { TurnId } from "../../protocol/ids.ts";
import type { ParsedParamsOf } from "../../protocol/method.ts";
import { say } from "../../protocol/say.ts";
import type { ReasoningEffort } from "../../protocol/settings/settings.ts";
import type { turnStart } from "../../protocol/thread/turn.ts";
import type { ThreadState } from "../../store/records/thread-state.ts";
import { TOOLS } from "../../tools/catalog.ts";
import { type Facts, layerSettings } from "../facts.ts";
import type { SandboxWatch } from "../health/sandbox-watch.ts";
import type { Ports } from "../ports/ports.ts";
import type { FullAccess } from "../thread/full-access.ts";
import { ONLY_READING, type ThreadContract, type ThreadFolder, threadContract } from "../thread/thread-contract.ts";
import { observe } from "./observe.ts";
import { readEditorState } from "./turn-input.ts";

type TurnParams = ParsedParamsOf<typeof turnStart>;

/** A turn's envelope, and the thread contract that it was made from. */
export interface SealedTurn {
	readonly envelope: TurnEnvelope;
	readonly contract: ThreadContract;
}

/** What the user is told about a turn when it starts. */
interface Noted {
	readonly problems: readonly string[];
	/** The reasoning effort in the settings; the envelope has one that the model supports. */
	readonly askedEffort: ReasoningEffort | undefined;
}

/** A turn that would begin now, and the thread that it would begin in. */
export interface NextTurn extends SealedTurn {
	readonly state: ThreadState;
}

/** The inputs of sealing besides the thread. */
export interface SealInputs {
	readonly facts: Facts;
	readonly home: string;
	readonly ports: Ports;
	readonly full: FullAccess;
	readonly sandbox: Pick<SandboxWatch, "look" | "glance">;
	/** What MCP servers offer now. */
	readonly observeServers: () => Promise<Observed["servers"]>;
}

type Overrides = NonNullable<TurnParams["overrides"]> & {
	readonly input?: TurnParams["input"];
};

/** The contract of a turn that would begin now. Changes nothing. */
export async function sealTurn(
	recorded: ThreadState,
	overrides: Overrides,
	{ facts, home, ports, full, sandbox, observeServers }: SealInputs,
): Promise<SealedTurn & Noted> {
	const state = full.held(recorded);
	const contract = threadContract(state, facts);
	const folder = folderFor(contract, overrides.cwd, facts);
	const settings = layerSettings(contract.settings, overrides.settings, folder.isOpen ? undefined : ONLY_READING);
	const model = resolveModel(settings.model, ports.servers);
	if (model instanceof ModelFailure) throw new HostError("settings-refused", model.said);
	const { observed, problems } = await observe(facts, home, {
		folder,
		editor: readEditorState(overrides.input ?? []),
		now: ports.now(),
		// Do not start anything for a workspace in which no command runs.
		sandbox: await (folder.trusted && folder.roots.length > 0 ? sandbox.look() : sandbox.glance()),
		settings,
		servers: await observeServers(),
	});
	const request = {
		threadId: state.threadId,
		turnId: TurnId.parse(ports.newId()),
		source: state.source,
		settings,
		model,
		// Frozen with the first turn.
		baseInstructions: (state.written ? "" : settings.instructions.base) || state.baseInstructions,
		usage: state.total ?? NO_TOKENS,
		outputSchema: overrides.outputSchema,
		tools: TOOLS,
	};
	return { envelope: sealEnvelope(request, observed), contract, problems, askedEffort: settings.model.reasoningEffort };
}

/** The folder of the turn: its thread's, or another open one. */
function folderFor({ folder }: ThreadContract, cwd: string | undefined, { folders, trusted }: Facts): ThreadFolder {
	if (cwd === undefined) return folder;
	if (folders.some((open) => isInside(cwd, open))) return { cwd, roots: [...folders], isOpen: true, trusted };
	throw new HostError("settings-refused", say("folder-not-open", { cwd }));
}
