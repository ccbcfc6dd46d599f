import type { HOST_METHODS } from "../../protocol/catalog.ts";

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
	modelDiscover: "Looking for model servers",
	turnInterrupt: "Stopping the turn",
};

/** Reports progress of a client's request, if it has sent a token for that. */
export async function withProgress<T>(
	key: Key,
	params: unknown,
	notify: (name: "$/progress", params: object) => void,
	work: () => Promise<T>,
): Promise<T> {
	const { workDoneToken: token } = Object(params);
	if (typeof token !== "string" && typeof token !== "number") return work();
	notify("$/progress", { token, value: { kind: "begin", title: TITLES[key] ?? "Working", cancellable: true } });
	try {
		return await work();
	} finally {
		notify("$/progress", { token, value: { kind: "end" } });
	}
}
