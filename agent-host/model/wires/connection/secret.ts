import { mapSaid, say } from "../../../protocol/say.ts";
import { ModelFailure } from "../../port.ts";

/** The credentials of a request. */
export interface Secret {
	readonly value: string;
}

/** Provides the secret of a server. */
export interface SecretSource {
	readonly auth: "apiKey" | "chatgpt";
	/** Requested for every request and not kept. `refused`: the server did not take this one, so it is to be renewed. */
	readonly secret: (refused?: string) => Promise<Secret | undefined>;
	/** Whether the server refuses every request without a key. */
	readonly needsKey: boolean;
}

/** The secret for one request, or a failure that says how to set one. */
export async function secretFor(
	access: SecretSource,
	signal: AbortSignal,
	refused?: string,
): Promise<Secret | undefined> {
	signal.throwIfAborted();
	// The client may never answer, but a turn must still be able to end.
	const secret = await unlessAborted(signal, access.secret(refused));
	if (secret !== undefined || !access.needsKey || refused !== undefined) return secret;
	const said = say(access.auth === "chatgpt" ? "not-signed-in" : "no-api-key");
	throw new ModelFailure("auth", said, { retryable: false });
}

/** Leaves no listener behind: Node would keep a signal that others are combined in, with all that its listener holds. */
async function unlessAborted<T>(signal: AbortSignal, result: Promise<T>): Promise<T> {
	const stopped = Promise.withResolvers<never>();
	const stop = () => stopped.reject(signal.reason);
	signal.addEventListener("abort", stop);
	try {
		return await Promise.race([result, stopped.promise]);
	} finally {
		signal.removeEventListener("abort", stop);
	}
}

/** How many leading characters of a key may remain visible at the end of a truncated text. */
const SHOWN_OF_KEY = 4;

/** A server may repeat the key in its message, and the message may be cut in the middle of the key. */
export function withoutSecret(failure: ModelFailure, secret: Secret | undefined): ModelFailure {
	const key = secret?.value ?? "";
	if (key === "") return failure;
	const cut = Array.from(
		{ length: Math.max(0, key.length - SHOWN_OF_KEY) },
		(_, less) => `${key.slice(0, -less - 1)}…`,
	);
	const said = mapSaid(failure.said, (all) =>
		[key, ...cut].reduce((text, shown) => text.replaceAll(shown, "[key]"), all),
	);
	return said.text === failure.message ? failure : new ModelFailure(failure.code, said, failure);
}
