import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { listSaid, nameSaid, say } from "../../../../agent-host/protocol/say.ts";
import type { readPanelState } from "../../../../extension/panel/panel-state.ts";
import type { setLanguage } from "../../../../l10n/t.ts";
import { loadOverPaper } from "../../../support/load-over-paper.ts";

const GERMAN = JSON.parse(
	readFileSync(new URL("../../../../l10n/bundle.l10n.de.json", import.meta.url), "utf8"),
) as Record<string, string>;

test("the panel names the next turn's permissions in the reader's language, as the status bar does", async () => {
	const loaded = await loadOverPaper<{
		readonly readPanelState: typeof readPanelState;
		readonly setLanguage: typeof setLanguage;
	}>(["extension/panel/panel-state.ts", "l10n/t.ts"], {
		workspace: { isTrusted: true, getConfiguration: () => ({ inspect: () => undefined, get: () => undefined }) },
	});
	loaded.setLanguage("de", GERMAN);
	const name = listSaid(say("mode-workspace"), say("name-network-off"));
	const policy = {
		...{ mode: "workspaceWrite", name: name.text, nameSaid: nameSaid(name) },
		...{ provider: "demo", model: "demo", images: false, isFolderOpen: true, collaboration: "default", live: false },
		...{ commands: true, sandbox: "bwrap", context: { tokens: 1, effectiveWindow: 2 }, offered: {}, prompts: [] },
	};
	const host = { state: () => ({ state: "running" }), warnings: () => [], probe: () => undefined };
	const { next } = await loaded.readPanelState(host as never, {} as never, policy as never, undefined);
	assert.deepEqual([policy.name, next?.name], ["Workspace, network off", "Arbeitsbereich, Netzwerk aus"]);
});
