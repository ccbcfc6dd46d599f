import type { CancellationToken } from "vscode";
import type { CLIENT_METHODS, CLIENT_NOTIFICATIONS } from "../../agent-host/protocol/catalog.ts";
import type { ParsedParamsOf, ResultOf } from "../../agent-host/protocol/method.ts";

type Methods = typeof CLIENT_METHODS;
type Notifications = typeof CLIENT_NOTIFICATIONS;

/** An answer to every request of the host: a method of the protocol without one does not compile. */
export type ClientHandlers = {
	readonly [K in keyof Methods]: (
		params: ParsedParamsOf<Methods[K]>,
		withdrawn: CancellationToken,
	) => Promise<ResultOf<Methods[K]>>;
};

/** What each notification of the host does, likewise. */
export type ClientListeners = {
	readonly [K in keyof Notifications]: (params: ParsedParamsOf<Notifications[K]>) => void;
};
