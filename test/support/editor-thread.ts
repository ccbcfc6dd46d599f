import type { EditorChat } from "./editor-chat.ts";
import type { Desk } from "./editor-session.ts";
import type { EditorWindow, WindowTarget } from "./editor-window.ts";
import { type FakeModel, startFakeModel } from "./fake-model.ts";
import { says } from "./fake-model-steps.ts";

/** A window with the chat open and a fake model behind it. */
export async function openThread(
	desk: Desk,
	target: WindowTarget,
	settings: Readonly<Record<string, unknown>> = {},
	scripted?: FakeModel,
): Promise<{ readonly window: EditorWindow; readonly chat: EditorChat; readonly model: FakeModel }> {
	const model = scripted ?? (await startFakeModel(() => says("An answer.")));
	desk.defer(() => model.stop());
	desk.editor.writeUserSettings({
		...settings,
		"vitrine.model.provider": "compatible",
		"vitrine.model.baseUrl": model.baseUrl,
		"vitrine.model.id": "fake-1",
	});
	const window = await desk.open(target);
	await window.command("Vitrine: Open Chat");
	return { window, chat: await window.chat(), model };
}
