import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { ModelFailure } from "../../../agent-host/model/port.ts";
import { sayRetry } from "../../../agent-host/model/retry.ts";
import { withoutSecret } from "../../../agent-host/model/wires/connection/secret.ts";
import { failureInStream } from "../../../agent-host/model/wires/refusals/failure.ts";
import { asMessage, joinSaid, quote, say } from "../../../agent-host/protocol/say.ts";
import { sayHost } from "../../../l10n/host-words.ts";
import { setLanguage } from "../../../l10n/t.ts";

after(() => setLanguage("en", {}));

const RATE = { text: "Too many requests, try again in 2 s", code: "rate_limit_exceeded" };

test("a failed request and its retry are one English text whose sentences are each translated", () => {
	const failure = failureInStream(RATE as never);
	const said = asMessage(joinSaid(failure.said, sayRetry(1_500, { attempt: 2, attempts: 5 })));
	assert.equal(
		said.message,
		"Rate limited by the server: Too many requests, try again in 2 s Retrying in 1.5 s (2 of 5).",
	);
	speakGerman();
	assert.equal(
		sayHost(said),
		"Der Server begrenzt die Zahl der Anfragen: Too many requests, try again in 2 s Neuer Versuch in 1.5 s (2 von 5).",
	);
	setLanguage("en", {});
	assert.equal(sayHost(said), said.message);
});

test("quoted text stays as it is between translated sentences", () => {
	const said = asMessage(joinSaid(say("summary-rejected"), quote("It is not one valid JSON object.")));
	speakGerman();
	assert.equal(
		sayHost(said),
		"Die Zusammenfassung des Modells wurde zweimal abgelehnt. It is not one valid JSON object.",
	);
});

test("no part of a message contains a key that a server repeated, or a control character", () => {
	const failure = failureInStream({ ...RATE, text: "no: sk-secret-123456\u0007 is over its limit" } as never);
	const safe = withoutSecret(failure, { value: "sk-secret-123456" });
	assert.doesNotMatch(JSON.stringify(safe.said), /sk-secret|\\u0007/);
	assert.match(safe.message, /\[key\]/);
	assert.equal(
		new ModelFailure("server", say("no-quota", { said: "a\u0007b" }), { retryable: false }).message,
		"The account has no quota left: ab",
	);
});

function speakGerman(): void {
	const bundle = readFileSync(new URL("../../../l10n/bundle.l10n.de.json", import.meta.url), "utf8");
	setLanguage("de", JSON.parse(bundle));
}
