import type { CheckedFetch } from "../../../network/fetch-checked.ts";
import type { Credentials } from "./credentials.ts";

/** Tells the service that its tokens are not used any more (RFC 7009). One that does not listen lets them end on their own. */
export async function endSignIn(known: Credentials, fetch: CheckedFetch): Promise<void> {
	const { revocationEndpoint, refreshToken, token, client } = known;
	if (revocationEndpoint === undefined) return;
	const body = new URLSearchParams({ token: refreshToken ?? token, client_id: client.id });
	if (client.secret !== undefined) body.set("client_secret", client.secret);
	await fetch(revocationEndpoint, { method: "POST", body }).catch(() => undefined);
}
