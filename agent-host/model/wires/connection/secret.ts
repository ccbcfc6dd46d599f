import { ModelFailure } from "../../port.ts";

/** What is sent to say who asks. */
export interface Secret {
	readonly value: string;
	/** The account a sign-in belongs to, for servers that want it named. */
	readonly account?: string | undefined;
}

/** Who can be asked for the secret of a server. */
export interface SecretSource {
	readonly auth: "apiKey" | "chatgpt";
	/** Asked for anew with every request and not kept. `renew`: the one it had was refused. */
	readonly secret: (want: "stored" | "renewed") => Promise<Secret | undefined>;
	/** Whether the server answers nobody without a key. */
	readonly needsKey: boolean;
}

/** The secret for one request, or a failure that says how to come by one. */
export async function secretFor(
	access: SecretSource,
	want: "stored" | "renewed",
	signal: AbortSignal,
): Promise<Secret | undefined> {
	// Whoever is asked may never answer; a turn must be able to end all the same.
	const stopped = new Promise<never>((_, reject) => {
		signal.addEventListener("abort", () => reject(signal.reason), { once: true });
	});
	const secret = await Promise.race([access.secret(want), stopped]);
	if (secret !== undefined || !access.needsKey || want === "renewed") return secret;
	const message =
		access.auth === "chatgpt"
			? "You are not signed in. Sign in with “Vitrine: Set Up Model…”."
			: "No API key is stored. Enter one with “Vitrine: Set Up Model…”.";
	throw new ModelFailure("auth", message, { retryable: false });
}

/** Characters of a key, from its start, that may be seen at the end of a text that was cut. */
const SHOWN_OF_KEY = 4;

/** A server may repeat the key in what it says about it, and what it says may be cut in the middle of the key. */
export function withoutSecret(failure: ModelFailure, secret: Secret | undefined): ModelFailure {
	const key = secret?.value ?? "";
	if (key === "") return failure;
	const cut = Array.from(
		{ length: Math.max(0, key.length - SHOWN_OF_KEY) },
		(_, less) => `${key.slice(0, -less - 1)}…`,
	);
	const message = [key, ...cut].reduce((text, shown) => text.replaceAll(shown, "[key]"), failure.message);
	return message === failure.message ? failure : new ModelFailure(failure.code, message, failure);
}
