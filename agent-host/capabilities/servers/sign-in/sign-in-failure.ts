import { type Refusal, RefusedAddress } from "../../../network/fetch-checked.ts";
import { HostError } from "../../../protocol/errors.ts";
import { type Said, say } from "../../../protocol/say.ts";
import type { SentenceName } from "../../../protocol/sentences.ts";

const STOPPED = {
	address: "sign-in-stopped-address",
	redirect: "sign-in-stopped-redirect",
	resource: "sign-in-stopped-resource",
} as const satisfies Readonly<Record<Refusal, SentenceName>>;

export function fail(said: Said): HostError {
	return new HostError("sign-in-failed", said);
}

/** Why a sign-in at this service ended. Nothing that the service says goes into it, except a code. */
export function explainFailure(error: unknown, name: string): HostError {
	if (error instanceof HostError) return error;
	if (error instanceof RefusedAddress) return fail(say(STOPPED[error.refusal], { name, host: error.host }));
	const { code } = error as { readonly code?: unknown };
	return fail(isCode(code) ? say("sign-in-failed", { name, reason: code }) : say("sign-in-unexpected", { name }));
}

/** The code of a service's refusal (RFC 6749), which is one of a few words. */
export function isCode(code: unknown): code is string {
	return typeof code === "string" && /^[a-z_]{1,60}$/.test(code);
}
