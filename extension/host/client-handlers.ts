import type { CancellationToken } from "vscode";
import type { CLIENT_METHODS, CLIENT_NOTIFICATIONS } from "../../agent-host/protocol/catalog.ts";
import type { ParsedParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";

type Methods = typeof CLIENT_METHODS;
type Notifications = typeof CLIENT_NOTIFICATIONS;

/** A handler for every request of the host; a missing one does not compile. */
export type ClientHandlers = {
	readonly [K in keyof Methods]: (
		params: ParsedParamsOf<Methods[K]>,
		withdrawn: CancellationToken,
	) => Promise<ResultOf<Methods[K]>>;
};

/** A listener for every notification of the host; a missing one does not compile. */
export type ClientListeners = {
	readonly [K in keyof Notifications]: (params: ParsedParamsOf<Notifications[K]>) => void;
};
