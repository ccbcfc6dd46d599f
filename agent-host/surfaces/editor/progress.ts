import type { HOST_METHODS } from "../../protocol/catalog.ts";
import type { Report } from "../handlers.ts";

type Key = keyof typeof HOST_METHODS;

/** Titles of long operations, for the client. */
const TITLES: Partial<Record<Key, string>> = {
	threadCompact: "Compacting the conversation",
	threadSearch: "Searching threads",
	threadVerify: "Verifying threads",
	threadExport: "Exporting the thread",
	threadImport: "Importing a thread",
	threadReplay: "Replaying a thread",
	policyProbe: "Testing the sandbox",
	hostDoctor: "Running diagnostics",
	modelList: "Listing models",
	modelDetect: "Asking the model server",
	modelDiscover: "Looking for model servers",
	turnInterrupt: "Stopping the turn",
	fileFind: "Listing files",
};

const NO_REPORT: Report = () => undefined;

/** Reports progress of a client's request, if it has sent a token for that. */
export async function withProgress<T>(
	key: Key,
	params: unknown,
	notify: (name: "$/progress", params: object) => void,
	work: (report: Report) => Promise<T>,
): Promise<T> {
	const { workDoneToken: token } = Object(params);
	if (typeof token !== "string" && typeof token !== "number") return work(NO_REPORT);
	let told = 0;
	const report: Report = (done, of) => {
		const percentage = Math.floor((100 * done) / Math.max(of, 1));
		if (percentage <= told) return;
		told = percentage;
		notify("$/progress", { token, value: { kind: "report", percentage } });
	};
	notify("$/progress", { token, value: { kind: "begin", title: TITLES[key] ?? "Working", cancellable: true } });
	try {
		return await work(report);
	} finally {
		notify("$/progress", { token, value: { kind: "end" } });
	}
}
