import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ApprovalRequest } from "../../agent-host/protocol/approval/approval.ts";
import { permissionLedger } from "../../agent-host/protocol/approval/ledger.ts";
import { hostDoctor, policyProbe } from "../../agent-host/protocol/host/health.ts";
import { hostStatus } from "../../agent-host/protocol/host/host.ts";
import { ThreadId } from "../../agent-host/protocol/ids.ts";
import { contextInspect, policyShow } from "../../agent-host/protocol/thread/context.ts";
import { isCall } from "../../agent-host/protocol/thread/item.ts";
import { threadRead, threadRename } from "../../agent-host/protocol/thread/thread.ts";
import { describeFailure } from "../../extension/host/call.ts";
import { toInspectorState } from "../../extension/panel/inspector-state.ts";
import { renderLedger, renderPolicy } from "../../extension/views/reports/render-document.ts";
import { renderDoctor, renderProbe, renderStatus } from "../../extension/views/reports/report-words.ts";
import { sayNamed, sayWarning } from "../../l10n/host-words.ts";
import { setLanguage } from "../../l10n/t.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { aThread, runTurn } from "../support/host-process.ts";
import { findEnglish, speakGerman } from "../support/speak-german.ts";
import { shareHost } from "./rig/share-host.ts";
import { withHost } from "./rig/with-host.ts";
import { aHostWithout } from "./rig/without-sandbox.ts";

before(speakGerman);
after(() => setLanguage("en", undefined));

const TITLES = ["/etc/passwd lesen", "make ausführen", "true ausführen", ".vscode/tasks.json hinzufügen"];

const asked: ApprovalRequest[] = [];
const withShared = shareHost({
	settings: {
		permissions: { rules: [{ prefix: ["true"] }], allowedDomains: ["docs.example.org"], network: "allowList" },
	},
	approve: (request) => {
		asked.push(request);
		return { decision: "deny", digest: request.digest };
	},
});

test("in German the policy, the inspector, the status, the sandbox test and the doctor contain no English", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const threadId = await aThread(host);
		const policy = await host.request(policyShow, { threadId, compiled: false });
		const probe = await host.request(policyProbe, { threadId });
		const status = await host.request(hostStatus, {});
		const context = await host.request(contextInspect, { threadId });
		const doctor = await host.request(hostDoctor, {});
		assertGerman(world.workspace, {
			policy: renderPolicy(policy),
			inspector: toInspectorState(context, 1).policy.join("\n"),
			status: renderStatus(status, policy, context),
			probe: renderProbe(probe),
			doctor: renderDoctor(doctor),
		});
		assert.match(renderDoctor(doctor), /^# Vitrine Doctor\n\nAlles in Ordnung\.\n\n## Versionen: OK\n/);
		assert.match(doctor.text, /^# Vitrine Doctor\n\nHealthy\.\n\n## Versions: ok\n/, "to paste into an issue");
	}));

test("in German an approval gives its reason and sandbox, a call its action, and the record who decided", (t) => {
	const script = [
		calls("read_file", { path: "/etc/passwd" }),
		calls("run_command", { command: "make", escalate: { reason: "weil" } }),
		calls("run_command", { command: "true" }),
		calls("apply_patch", { patch: "*** Begin Patch\n*** Add File: .vscode/tasks.json\n+{}\n*** End Patch" }),
		says("ok"),
	];
	return withShared(t, script, async ({ host, world }) => {
		const threadId = await aThread(host);
		const { published } = await runTurn(host, threadId, "Los.");
		const titles = published.flatMap(({ event }) =>
			event.type === "itemStarted" && isCall(event.item) ? [sayNamed(event.item.title, event.item.titleSaid)] : [],
		);
		assert.deepEqual(titles, TITLES);
		assert.equal(asked.length, 2);
		const [command] = asked.map(({ subject }) => subject);
		assert.ok(command?.kind === "command");
		const { entries } = await host.request(permissionLedger, { threadId });
		assert.deepEqual(entries.map(({ what, whatSaid }) => sayNamed(what, whatSaid)).toReversed(), [
			...TITLES.slice(0, 3),
			".vscode/tasks.json ändern",
		]);
		assert.equal(entries.length, 4);
		assertGerman(world.workspace, {
			...Object.fromEntries(asked.map(({ reason, reasonSaid }, at) => [`reason ${at}`, sayNamed(reason, reasonSaid)])),
			sandbox: sayNamed(command.sandbox, command.sandboxSaid),
			network: sayNamed(command.network, command.networkSaid),
			record: renderLedger(entries, false),
		});
	});
});

test("in German a refused request says why in German", (t) =>
	withShared(t, [], async ({ host, world }) => {
		const threadId = await aThread(host);
		const refusals = {
			gone: await refusalOf(host.request(threadRead, { threadId: ThreadId.parse("nicht-da") })),
			empty: await refusalOf(runTurn(host, threadId, " ")),
			title: await refusalOf(host.request(threadRename, { threadId, title: "Neu" })),
		};
		assertGerman(world.workspace, refusals);
	}));

test("in German the status, the doctor and the status bar say why a machine has no sandbox in German", (t) =>
	withHost(t, { program: aHostWithout }, async ({ host, world }) => {
		const threadId = await aThread(host);
		const policy = await host.request(policyShow, { threadId, compiled: false });
		const context = await host.request(contextInspect, { threadId });
		assertGerman(world.workspace, {
			status: renderStatus(await host.request(hostStatus, {}), policy, context),
			doctor: renderDoctor(await host.request(hostDoctor, {})),
			policy: renderPolicy(policy),
			warnings: host.received.warnings.map(sayWarning).join("\n"),
		});
	}));

async function refusalOf(request: Promise<unknown>): Promise<string> {
	return request.then(
		() => assert.fail("it was not refused"),
		(error: unknown) => describeFailure(error),
	);
}

/** Names of files, settings and programs stay as they are. */
function assertGerman(workspace: string, texts: Readonly<Record<string, string>>): void {
	for (const [where, text] of Object.entries(texts)) {
		const words = text.replaceAll(workspace, "").replaceAll(/[\w~./-]*[/~][\w./-]*/g, "");
		assert.notEqual(words, "", where);
		assert.deepEqual(findEnglish(words), [], `${where}: ${text}`);
	}
}
