import { readActions } from "./actions.ts";
import { createAskProvider } from "./ask-provider.ts";
import { hover } from "./hover.ts";
import { locate } from "./locate.ts";
import { readProblems } from "./problems.ts";
import { rename } from "./rename.ts";
import { createReports } from "./reports.ts";
import { findSymbols, outline } from "./symbols.ts";
import { listTasks } from "./tasks.ts";

/** What the host asks the editor about code and tasks, by the keys of its requests. */
export function serveLanguage() {
	const reports = createReports();
	const ask = createAskProvider(reports);
	return {
		handlers: {
			languageProblems: (params: Parameters<typeof readProblems>[1]) => readProblems(reports, params),
			languageLocate: (params: Parameters<typeof locate>[1]) => locate(ask, params),
			languageOutline: (params: Parameters<typeof outline>[1]) => outline(ask, params),
			languageSymbols: (params: Parameters<typeof findSymbols>[1]) => findSymbols(ask, params),
			languageHover: (params: Parameters<typeof hover>[1]) => hover(ask, params),
			languageActions: (params: Parameters<typeof readActions>[1]) => readActions(reports, params),
			languageRename: (params: Parameters<typeof rename>[1]) => rename(ask, params),
			taskList: listTasks,
		},
		dispose: reports.dispose,
	};
}

export type LanguageHandlers = ReturnType<typeof serveLanguage>["handlers"];
