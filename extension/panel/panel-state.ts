import * as vscode from "vscode";
import { BUNDLED, type HostWarning } from "../../agent-host/protocol/host/host.ts";
import { SandboxProblemCode } from "../../agent-host/protocol/settings/policy-settings.ts";
import type { ModelSettings } from "../../agent-host/protocol/settings/settings.ts";
import { sayNamed, sayWarning } from "../../l10n/host-words.ts";
import { t } from "../../l10n/t.ts";
import type { HostLimit, NextTurn, PanelState } from "../../media/wire.ts";
import { readChatSettings } from "../facts/chat-settings.ts";
import { describeOffered } from "../facts/describe-offered.ts";
import { readFolders } from "../facts/folders.ts";
import { ANTHROPIC_ORIGIN, type Keys, OPENAI_ORIGIN, type Stored } from "../facts/keys.ts";
import { ownSetting } from "../facts/own-setting.ts";
import { readSettings } from "../facts/settings.ts";
import type { HostClient } from "../host/host-client.ts";
import type { PolicyShown, ReportedPolicy } from "../host/policy-watch.ts";

/** Reads the current panel state. */
export async function readPanelState(
	host: Pick<HostClient, "state" | "warnings" | "probe">,
	keys: Keys,
	policy: ReportedPolicy | undefined,
	changes: PanelState["changes"],
): Promise<PanelState> {
	const model = resolveModel(readSettings().model, policy);
	const folders = readFolders();
	const probe = host.probe();
	return {
		host: host.state(),
		limits: host.warnings().map(toLimit),
		trusted: vscode.workspace.isTrusted,
		folders: folders.names,
		...(folders.problem === undefined ? {} : { folderProblem: folders.problem }),
		model: {
			provider: model.provider,
			label: labelModel(model),
			incomplete: await isIncomplete(model, keys, policy !== undefined),
		},
		chat: readChatSettings((key) => ownSetting(`vitrine.chat.${key}`)),
		...(probe?.state === "held" ? { probedAt: probe.at } : {}),
		...(changes === undefined ? {} : { changes }),
		...(policy === undefined ? {} : { next: nextTurn(policy) }),
	};
}

/** The model of the next turn: a thread may have another one than the settings. */
function resolveModel(set: ModelSettings, next: PolicyShown | undefined): ModelSettings {
	return next === undefined ? set : { ...set, provider: next.provider, id: next.model };
}

function nextTurn({
	threadId,
	mode,
	name,
	nameSaid,
	provider,
	model,
	images,
	effort,
	cwd,
	isFolderOpen,
	collaboration,
	live,
	commands,
	sandbox,
	context,
	offered,
	prompts,
}: ReportedPolicy): NextTurn {
	const settings = describeOffered(offered);
	return {
		threadId: threadId ?? null,
		mode,
		name: sayNamed(name, nameSaid),
		model: provider === "demo" ? t("Demo model") : model,
		readsImages: images,
		...(effort === undefined ? {} : { effort }),
		...(cwd === undefined ? {} : { cwd }),
		isFolderOpen,
		plans: collaboration === "plan",
		isLive: live,
		commands,
		isContained: sandbox !== "none",
		context,
		prompts: prompts.map(({ name, about, argumentHint, origin }) => ({ name, about, argumentHint, origin })),
		...(settings === "" ? {} : { offered: settings }),
	};
}

function toLimit(warning: HostWarning): HostLimit {
	const { code, command } = warning;
	const canCheck = SandboxProblemCode.safeParse(code).success || code === BUNDLED;
	return { text: sayWarning(warning), canCheck, ...(command !== undefined && { command }) };
}

/** Empty if none is chosen. */
function labelModel(model: ModelSettings): string {
	return model.provider === "demo" ? t("Demo model") : model.id;
}

async function isIncomplete(
	model: ModelSettings,
	keys: Keys,
	/** The host knows the address of the next turn's model. */
	isResolved: boolean,
): Promise<boolean> {
	switch (model.provider) {
		case "demo":
			return false;
		case "openai":
			return model.id === "" || (await keys.get(chooseSecret(model.auth))) === undefined;
		case "anthropic":
			return model.id === "" || (await keys.get({ kind: "key", origin: ANTHROPIC_ORIGIN })) === undefined;
		case "compatible":
			return model.id === "" || (model.baseUrl === "" && !isResolved);
		case "editor":
			return model.id === "";
	}
}

function chooseSecret(auth: ModelSettings["auth"]): Stored {
	return { kind: auth === "chatgpt" ? "token" : "key", origin: OPENAI_ORIGIN };
}
