import type { SkillOffer, TurnEnvelope, Workspace } from "../../agent-host/envelope/envelope.ts";
import {
	type Observed,
	type ResolvedModel,
	sealEnvelope,
	type TurnRequest,
} from "../../agent-host/envelope/resolve-envelope.ts";
import { NOTHING_CLOSED } from "../../agent-host/permissions/reach/reach.ts";
import { ThreadId, TurnId } from "../../agent-host/protocol/ids.ts";
import { mergeSettings, type PartialSettings, Settings } from "../../agent-host/protocol/settings/settings.ts";

/** An envelope of a small workspace with the demo model; a test names only what it is about. */
export function anEnvelope(
	change: {
		readonly workspace?: Partial<Workspace>;
		readonly request?: Partial<TurnRequest>;
		readonly settings?: PartialSettings;
		readonly observed?: Partial<Observed>;
	} = {},
): TurnEnvelope {
	const request: TurnRequest = {
		threadId: ThreadId.parse("thread-1"),
		turnId: TurnId.parse("turn-1"),
		source: "user",
		settings: mergeSettings(Settings.parse({}), change.settings ?? {}),
		model: aModel(),
		baseInstructions: "Be helpful.",
		usage: { input: 0, cached: 0, output: 0, reasoning: 0, total: 0 },
		tools: [{ name: "read_file", needs: "read" }],
		...change.request,
	};
	return sealEnvelope(request, { ...anObserved(change.workspace), ...change.observed });
}

export function aModel(change: Partial<ResolvedModel> = {}): ResolvedModel {
	const abilities = { images: false };
	return { id: "demo", family: "demo", window: 16_000, efforts: [], abilities, ...change };
}

export function anObserved(workspace: Partial<Workspace> = {}): Observed {
	return {
		workspace: {
			environment: "local",
			cwd: "/repo",
			roots: ["/repo"],
			shell: "/bin/bash",
			machine: "linux 6 x64",
			date: "2027-01-15",
			timeZone: "UTC",
			trusted: true,
			...workspace,
		},
		places: {
			home: "/home/me",
			temp: ["/tmp"],
			own: ["/home/me/.config/vitrine"],
			closed: NOTHING_CLOSED,
			versionControl: [],
		},
		instructionFiles: [],
		plugins: [],
		nestedInstructions: { folders: [], files: [] },
		servers: { offers: { listed: [], found: [] }, tools: [], prompts: [] },
		skills: [],
		agents: [],
		hooks: [],
		sandbox: { kind: "bubblewrap" },
		surface: { name: "test", version: "1" },
		asksUser: false,
		knowsLanguages: false,
		now: 1_800_000_000_000,
	};
}

export function aSkillOffer(change: Partial<SkillOffer> = {}): SkillOffer {
	return {
		name: "greet",
		about: "Greets.",
		path: "/repo/.agents/skills/greet",
		digest: "d1",
		origin: "workspace",
		argumentHint: "",
		byModel: true,
		byUser: true,
		...change,
	};
}
