import * as vscode from "vscode";
import { modelDetect, modelDiscover } from "../../../agent-host/protocol/host/host.ts";
import { threadSettings } from "../../../agent-host/protocol/thread/thread.ts";
import { countOf, t } from "../../../l10n/t.ts";
import { ANTHROPIC_ORIGIN, CHATGPT_ORIGIN, type Keys, OPENAI_ORIGIN } from "../../facts/keys.ts";
import { readSettings, writeModelSettings } from "../../facts/settings.ts";
import { failureKind } from "../../host/call.ts";
import type { HostClient } from "../../host/host-client.ts";
import type { Parts } from "../parts.ts";
import { askChecked } from "./ask-checked.ts";
import { describeServer } from "./model-words.ts";
import { type Server, setUpServer } from "./set-up-server.ts";
import { signOut } from "./sign-out.ts";

interface Choice extends vscode.QuickPickItem {
	/** The next step; absent for a separator. */
	readonly next?: () => Promise<void>;
}

/** Sets up the model for new threads and for the open one. */
export async function setUpModel({ host, keys, panel }: Parts): Promise<void> {
	const before = readModelSettings();
	await chooseModel(host, keys);
	const model = readModelSettings();
	const threadId = panel.threadId();
	if (JSON.stringify(model) === JSON.stringify(before)) return;
	if (threadId !== undefined) await host.request(threadSettings, { threadId, settings: { model } });
	await panel.focusInput();
}

function readModelSettings() {
	const { provider, wire, auth, baseUrl, id } = readSettings().model;
	return { provider, wire, auth, baseUrl, id };
}

/** Picks a provider in a few steps. Local servers are discovered while the first step is open. */
async function chooseModel(host: HostClient, keys: Keys): Promise<void> {
	const editorModels = await vscode.lm.selectChatModels();
	const pick = vscode.window.createQuickPick<Choice>();
	pick.title = t("Set Up Model (1/3)");
	pick.placeholder = t("Choose a model");
	pick.matchOnDetail = true;
	const known = [...editorChoices(editorModels), ...serverChoices(host, keys), ...lastChoices(keys)];
	pick.items = known;
	pick.busy = true;
	const searched = host.request(modelDiscover, {}).then(
		({ servers }) => servers,
		() => [],
	);
	void searched.then((servers) => {
		const [active] = pick.activeItems;
		// Appended, so that nothing moves under the pointer.
		pick.items = [...known, ...foundChoices(host, keys, servers)];
		if (active !== undefined) pick.activeItems = [active];
		pick.busy = false;
	});
	const chosen = await new Promise<Choice | undefined>((resolve) => {
		pick.onDidAccept(() => resolve(pick.selectedItems[0]));
		pick.onDidHide(() => resolve(undefined));
		pick.show();
	});
	pick.dispose();
	await chosen?.next?.();
}

function editorChoices(models: readonly vscode.LanguageModelChat[]): readonly Choice[] {
	if (models.length === 0) return [];
	const detail = t("A model offered by the editor. It asks for your consent once.");
	const description = t("{0} found", models.length);
	return [{ label: t("Editor model"), description, detail, next: () => setUpEditorModel(models) }];
}

function serverChoices(host: HostClient, keys: Keys): readonly Choice[] {
	const openai = { provider: "openai", secret: "needed" } as const;
	return [
		{
			label: "OpenAI",
			detail: t("Requires an API key from platform.openai.com."),
			next: () => setUpServer(host, keys, { ...openai, stored: { kind: "key", origin: OPENAI_ORIGIN } }),
		},
		{
			label: "Anthropic",
			detail: t("Requires an API key from console.anthropic.com."),
			next: () => setUpServer(host, keys, { provider: "anthropic", secret: "needed", stored: ANTHROPIC_KEY }),
		},
		{
			label: t("ChatGPT sign-in"),
			detail: t("Use an existing ChatGPT sign-in token (experimental)"),
			next: () =>
				setUpServer(host, keys, { ...openai, auth: "chatgpt", stored: { kind: "token", origin: CHATGPT_ORIGIN } }),
		},
		{
			label: t("Another server"),
			detail: t("Ollama, LM Studio, llama.cpp, vLLM, a gateway: any server with an OpenAI-compatible API."),
			next: () => setUpAddress(host, keys),
		},
	];
}

const ANTHROPIC_KEY: Server["stored"] = { kind: "key", origin: ANTHROPIC_ORIGIN };

function lastChoices(keys: Keys): readonly Choice[] {
	const demo = {
		label: t("Demo model"),
		detail: t("Scripted and offline. No key, no network."),
		next: () => writeModelSettings({ provider: "demo" }),
	};
	const out = { label: t("Sign Out or Remove Key…"), next: () => signOut(keys) };
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
			};
			const next = () => setUpServer(host, keys, server);
			return { label: found.name, description: describeServer(found), next };
		}),
	];
}

async function setUpEditorModel(models: readonly vscode.LanguageModelChat[]): Promise<void> {
	const items = models.map(({ id, name, vendor, maxInputTokens }) => ({
		label: name,
		description: `${vendor}, ${countOf(maxInputTokens, "{0} token", "{0} tokens")}`,
		id,
	}));
	const picked = await vscode.window.showQuickPick(items, {
		title: t("Set Up Model (2/2): Model"),
		placeHolder: t("Choose an editor model"),
	});
	if (picked !== undefined) await writeModelSettings({ provider: "editor", id: picked.id });
}

async function setUpAddress(host: HostClient, keys: Keys): Promise<void> {
	const found = await askChecked({
		title: t("Set Up Model: Server URL"),
		prompt: t("Server URL, including /v1"),
		placeholder: "http://127.0.0.1:1234/v1",
		value: readSettings().model.baseUrl,
		refuse: (text) =>
			URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
				? undefined
				: t("Enter a URL that starts with http:// or https://."),
		check: (baseUrl) => reach(host, baseUrl),
		skip: (baseUrl) => ({ baseUrl }),
	});
	if (found === undefined) return;
	const { baseUrl } = found;
	const stored = { kind: "key", origin: new URL(baseUrl).origin } as const;
	await setUpServer(host, keys, { provider: "compatible", baseUrl, stored, secret: "optional" });
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
