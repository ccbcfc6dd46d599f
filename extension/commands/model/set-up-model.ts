import * as vscode from "vscode";
import { modelDetect, modelDiscover } from "../../../agent-host/protocol/host/host.ts";
import { KNOWN_PROVIDERS, type KnownProvider } from "../../../agent-host/protocol/settings/known-providers.ts";
import { locateProvider } from "../../../agent-host/protocol/settings/model-place.ts";
import { namesUser } from "../../../agent-host/protocol/settings/model-values.ts";
import { threadSettings } from "../../../agent-host/protocol/thread/thread.ts";
import { countOf, t } from "../../../l10n/t.ts";
import type { Keys } from "../../facts/keys.ts";
import { withoutIcons } from "../../facts/plain-row.ts";
import { readSettings, writeModelSettings } from "../../facts/settings.ts";
import { failureKind } from "../../host/call.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { Parts } from "../parts.ts";
import { askChecked } from "./ask-checked.ts";
import { describeServer } from "./model-words.ts";
import { setUpPlan } from "./set-up-plan.ts";
import { type Server, setUpServer } from "./set-up-server.ts";
import { signOut } from "./sign-out.ts";

interface Choice extends vscode.QuickPickItem {
	/** The next step; absent for a separator. Whether a model was chosen. */
	readonly next?: () => Promise<boolean>;
}

/** Sets up the model for new threads and for the open one. */
export async function setUpModel({ host, keys, panel }: Parts): Promise<void> {
	if (!(await chooseModel(host, keys))) return;
	const model = readModelSettings();
	// It may have another model than the settings, also if these have not changed.
	const threadId = panel.threadId();
	if (threadId !== undefined) await host.request(threadSettings, { threadId, settings: { model } });
	await panel.focusInput();
}

function readModelSettings() {
	const { provider, wire, auth, baseUrl, id } = readSettings().model;
	return { provider, wire, auth, baseUrl, id };
}

/**
 * Picks a provider in a few steps. Local servers are discovered while the first step is open. Whether a model was chosen.
 */
async function chooseModel(host: HostClient, keys: Keys): Promise<boolean> {
	const editorModels = await vscode.lm.selectChatModels();
	const pick = vscode.window.createQuickPick<Choice>();
	// As in the steps after it: a look at another window, or at the chat, must not lose what was begun.
	pick.ignoreFocusOut = true;
	pick.title = t("Set Up Model (1/3)");
	pick.placeholder = t("Choose a model");
	pick.matchOnDescription = true;
	pick.matchOnDetail = true;
	pick.items = [...editorChoices(editorModels), ...serverChoices(host, keys), ...lastChoices(host, keys)];
	pick.busy = true;
	const append = (found: readonly Choice[]): void => {
		const [active] = pick.activeItems;
		// At the end, so that nothing moves under the pointer.
		pick.items = [...pick.items, ...found];
		if (active !== undefined) pick.activeItems = [active];
	};
	const searched = host.request(modelDiscover, {}).then(
		({ servers }) => servers,
		() => [],
	);
	void searched.then((servers) => {
		append(foundChoices(host, keys, servers));
		pick.busy = false;
	});
	// An extension that offers models may still be starting.
	let isOffered = editorModels.length > 0;
	const started = vscode.lm.onDidChangeChatModels(async () => {
		const models = await vscode.lm.selectChatModels();
		if (!isOffered) append(editorChoices(models));
		isOffered ||= models.length > 0;
	});
	const chosen = await new Promise<Choice | undefined>((resolve) => {
		pick.onDidAccept(() => resolve(pick.selectedItems[0]));
		pick.onDidHide(() => resolve(undefined));
		pick.show();
	});
	started.dispose();
	pick.dispose();
	return (await chosen?.next?.()) ?? false;
}

function editorChoices(models: readonly vscode.LanguageModelChat[]): readonly Choice[] {
	if (models.length === 0) return [];
	const detail = t("A model offered by the editor. It asks for your consent once.");
	const description = t("{0} found", models.length);
	return [{ label: t("Editor model"), description, detail, next: () => setUpEditorModel(models) }];
}

function serverChoices(host: HostClient, keys: Keys): readonly Choice[] {
	const known = Object.entries(KNOWN_PROVIDERS).flatMap(([name, one]) =>
		one.keyPage === undefined ? [] : [knownChoice(host, keys, name, one)],
	);
	return [
		...known.slice(0, SHOWN_AT_ONCE),
		{ label: t("More Providers…"), next: () => chooseMore(known.slice(SHOWN_AT_ONCE)) },
		{
			label: t("ChatGPT plan (preview)"),
			description: t("Sign in with your Plus or Pro plan. No API key."),
			next: () => setUpPlan(host, keys),
		},
		{
			label: t("Another server"),
			description: t("Ollama, LM Studio, llama.cpp, vLLM, a gateway: its API is detected."),
			next: () => setUpAddress(host, keys),
		},
	];
}

/** Known providers in the first list: the servers of this machine must stay in sight below them. */
const SHOWN_AT_ONCE = 4;

async function chooseMore(choices: readonly Choice[]): Promise<boolean> {
	const picked = await vscode.window.showQuickPick(choices, {
		title: t("Set Up Model (1/3)"),
		placeHolder: t("Choose a model"),
		ignoreFocusOut: true,
	});
	return (await picked?.next?.()) ?? false;
}

/** A provider that only needs a key. */
function knownChoice(host: HostClient, keys: Keys, name: string, known: KnownProvider): Choice {
	const { brand, keyPage = "", baseUrl } = known;
	const { provider, wire } = locateProvider(name, {});
	const server: Server = {
		provider: provider === "openai" || provider === "anthropic" ? provider : "compatible",
		...(provider === "compatible" ? { wire, baseUrl, name } : {}),
		secret: "needed",
		stored: { kind: "key", origin: new URL(baseUrl).origin },
	};
	return {
		label: brand,
		description: t("Requires an API key from {0}.", keyPage),
		next: () => setUpServer(host, keys, server),
	};
}

function lastChoices(host: HostClient, keys: Keys): readonly Choice[] {
	const demo = {
		label: t("Demo model"),
		description: t("Scripted and offline. No key, no network."),
		next: async () => {
			await writeModelSettings({ provider: "demo" });
			return true;
		},
	};
	const out = {
		label: t("Sign Out or Remove Key…"),
		next: async () => {
			await signOut(host, keys);
			return false;
		},
	};
	return keys.list().length === 0 ? [demo] : [demo, out];
}

function foundChoices(
	host: HostClient,
	keys: Keys,
	servers: readonly { readonly name: string; readonly baseUrl: string; readonly models: string[] }[],
): readonly Choice[] {
	if (servers.length === 0) return [];
	return [
		{ label: t("Running on this machine"), kind: vscode.QuickPickItemKind.Separator },
		...servers.map((found) => {
			const { origin } = new URL(found.baseUrl);
			const server: Server = {
				provider: "compatible",
				wire: "chat",
				baseUrl: found.baseUrl,
				stored: { kind: "key", origin },
				secret: "none",
				...nameLocal(found.baseUrl),
			};
			const next = () => setUpServer(host, keys, server);
			return { label: found.name, description: describeServer(found), next };
		}),
	];
}

/** The name of a server at its usual address, under which it stays configured beside others. */
function nameLocal(baseUrl: string): Pick<Server, "name"> {
	const name = Object.keys(KNOWN_PROVIDERS).find((one) => KNOWN_PROVIDERS[one]?.baseUrl === baseUrl);
	return name === undefined ? {} : { name };
}

async function setUpEditorModel(models: readonly vscode.LanguageModelChat[]): Promise<boolean> {
	const items = models.map(({ id, name, vendor, maxInputTokens }) => ({
		label: withoutIcons(name),
		description: withoutIcons(`${vendor}, ${countOf(maxInputTokens, "{0} token", "{0} tokens")}`),
		id,
	}));
	const picked = await vscode.window.showQuickPick(items, {
		title: t("Set Up Model (2/2): Model"),
		placeHolder: t("Choose an editor model"),
		ignoreFocusOut: true,
	});
	if (picked === undefined) return false;
	await writeModelSettings({ provider: "editor", id: picked.id });
	return true;
}

async function setUpAddress(host: HostClient, keys: Keys): Promise<boolean> {
	const found = await askChecked({
		title: t("Set Up Model: Server URL"),
		prompt: t("Server URL, including /v1"),
		placeholder: "http://127.0.0.1:1234/v1",
		value: readSettings().model.baseUrl,
		refuse: refuseUrl,
		check: (baseUrl) => reach(host, baseUrl),
		skip: (baseUrl) => ({ baseUrl }),
	});
	if (found === undefined) return false;
	const { baseUrl } = found;
	const stored = { kind: "key", origin: new URL(baseUrl).origin } as const;
	return setUpServer(host, keys, { provider: "compatible", baseUrl, stored, secret: "optional" });
}

function refuseUrl(text: string): string | undefined {
	if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
		return t("Enter a URL that starts with http:// or https://.");
	return namesUser(text) ? t("Enter the URL without a user name or password.") : undefined;
}

/** Whether a model server is there; it may ask for a key, which is the next step. */
async function reach(host: HostClient, baseUrl: string): Promise<{ readonly baseUrl: string }> {
	const model = { provider: "compatible", auth: "apiKey", baseUrl } as const;
	try {
		await host.request(modelDetect, { settings: { model } });
	} catch (error) {
		if (failureKind(error) !== "key-refused") throw error;
	}
	return { baseUrl };
}
