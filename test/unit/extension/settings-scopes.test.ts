import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import * as z from "zod";
import { PartialSettings, Settings } from "../../../agent-host/protocol/settings/settings.ts";

interface Property {
	readonly scope?: string;
	readonly ignoreSync?: boolean;
	readonly default?: unknown;
}

interface Manifest {
	readonly contributes: {
		readonly configuration: readonly { readonly properties: Readonly<Record<string, Property>> }[];
		readonly configurationDefaults?: unknown;
	};
	readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
}

const manifest: Manifest = JSON.parse(readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8"));
const properties = Object.assign(
	{},
	...manifest.contributes.configuration.map((group) => group.properties),
) as Readonly<Record<string, Property>>;

/** Who may set a setting, and why. `own`: the user alone. `ownHere`: the user alone, for this machine. `tightens`: a trusted workspace too, to be stricter. */
type Scope = "own" | "ownHere" | "tightens";

const DECISIONS: Readonly<Record<string, readonly [Scope, why: string]>> = {
	"vitrine.model.provider": ["ownHere", "decides where everything that is sent goes"],
	"vitrine.model.id": ["ownHere", "belongs to the server"],
	"vitrine.model.baseUrl": ["ownHere", "decides where everything that is sent goes, with which key"],
	"vitrine.model.wire": ["ownHere", "belongs to the server"],
	"vitrine.model.auth": ["ownHere", "decides which secret is sent"],
	"vitrine.providers": ["ownHere", "decides where everything that is sent goes, with which key"],
	"vitrine.servers": ["ownHere", "starts programs and sends to addresses"],
	"vitrine.editorTools": ["ownHere", "lets other extensions run code outside the sandbox"],
	"vitrine.skills.enabled": ["own", "decides what the model is told"],
	"vitrine.skills.off": ["own", "decides what the model is told"],
	"vitrine.model.contextWindow": ["own", "decides how much is sent and spent"],
	"vitrine.model.reasoningEffort": ["own", "decides what is spent"],
	"vitrine.model.reasoningSummary": ["own", "decides what is asked of the server"],
	"vitrine.model.serviceTier": ["own", "decides what is spent"],
	"vitrine.model.verbosity": ["own", "decides what is spent"],
	"vitrine.model.prices": ["ownHere", "budgets of money are counted with it"],
	"vitrine.model.rereadWarning": ["own", "a warning must not be switched off for the user"],
	"vitrine.permissions.mode": ["tightens", "a workspace may ask to be read only"],
	"vitrine.approval": ["tightens", "a workspace may ask for more questions"],
	"vitrine.permissions.network": ["tightens", "a workspace may close the network"],
	"vitrine.permissions.allowedDomains": ["tightens", "for this machine or remote; a workspace's list is not read"],
	"vitrine.permissions.writableRoots": ["tightens", "paths of this machine or remote; a workspace's list is not read"],
	"vitrine.permissions.denyRead": ["tightens", "a workspace may close more of its own files"],
	"vitrine.permissions.filesystem": ["tightens", "paths of this machine; of a workspace only what closes"],
	"vitrine.permissions.rules": ["tightens", "commands of this machine or remote; of a workspace only what denies"],
	"vitrine.permissions.serverTools": ["ownHere", "consent to programs that exist on this machine"],
	"vitrine.permissions.limits.memory": ["ownHere", "protects this machine, and depends on its size"],
	"vitrine.permissions.limits.fileSize": ["ownHere", "protects this machine"],
	"vitrine.permissions.limits.diskGrowth": ["ownHere", "protects this machine"],
	"vitrine.compaction.auto": ["own", "decides what is sent and spent"],
	"vitrine.compaction.percent": ["own", "decides what is sent and spent"],
	"vitrine.compaction.limit": ["own", "decides what is sent and spent"],
	"vitrine.compaction.strategy": ["own", "decides whether the conversation is sent to be shortened"],
	"vitrine.compaction.keepUserPercent": ["own", "decides which words of the user stay"],
	"vitrine.compaction.model": ["own", "decides which model reads the conversation"],
	"vitrine.modes.collaboration": ["own", "a workspace must not turn planning into doing"],
	"vitrine.modes.personality": ["own", "goes to the model as the user's wish"],
	"vitrine.budgets.turn": ["ownHere", "a limit on what is spent"],
	"vitrine.budgets.thread": ["ownHere", "a limit on what is spent"],
	"vitrine.budgets.day": ["ownHere", "a limit on what is spent, counted on this machine"],
	"vitrine.budgets.agent": ["ownHere", "a limit on what is spent"],
	"vitrine.chat.enterBehavior": ["own", "a key must not send what was not meant to be sent"],
	"vitrine.chat.whileRunning": ["own", "a key must not send what was not meant to be sent"],
	"vitrine.chat.foldSteps": ["own", "a workspace must not hide what was done"],
	"vitrine.chat.timestamps": ["own", "how the user reads"],
	"vitrine.chat.showCost": ["own", "a workspace must not hide what is spent"],
	"vitrine.chat.showCacheMeter": ["own", "how the user reads"],
	"vitrine.notifications.done": ["own", "a workspace must not hide that something happened"],
	"vitrine.notifications.waiting": ["own", "a workspace must not hide that something waits"],
	"vitrine.notifications.sound": ["own", "what the user hears"],
	"vitrine.context.editorContext": ["own", "decides which open files leave the machine"],
	"vitrine.instructions.developer": ["own", "goes to the model with the user's authority"],
	"vitrine.instructions.fallbacks": ["own", "decides which files of a workspace are followed"],
	"vitrine.instructions.base": ["own", "goes to the model with the user's authority"],
	"vitrine.instructions.compactPrompt": ["own", "decides what is kept of a thread"],
	"vitrine.tools.plan": ["own", "decides what the model is offered"],
	"vitrine.tools.applyPatch": ["own", "decides what the model is offered"],
	"vitrine.tools.agentDepth": ["own", "decides what the model is offered"],
	"vitrine.usageBaseline": ["own", "decides what the user reads of the context"],
	"vitrine.model.effectivePercent": ["own", "decides how much is sent"],
	"vitrine.retry.baseDelayMs": ["own", "decides how fast a server is asked again"],
	"vitrine.retry.attempts": ["own", "decides what is spent"],
	"vitrine.retry.idleMs": ["own", "decides how long a server may keep a turn waiting"],
	"vitrine.sandbox.probeOnStart": ["own", "decides what runs at the start"],
	"vitrine.telemetry.endpoint": ["ownHere", "decides what leaves this machine"],
	"vitrine.telemetry.content": ["ownHere", "decides what leaves this machine"],
	"vitrine.trace": ["ownHere", "decides what is written down"],
};

/** Scopes in which the editor reads a workspace's value, or one of a folder. */
const OPEN_SCOPES = ["window", "resource", "machine-overridable", "language-overridable"];

test("every setting has a decision about who may set it", () => {
	assert.deepEqual(Object.keys(properties).sort(), Object.keys(DECISIONS).sort());
});

for (const [id, [decision, why]] of Object.entries(DECISIONS)) {
	test(`${id}: ${decision} (${why})`, () => {
		const { scope = "window", ignoreSync = false } = properties[id] ?? assert.fail();
		// None of our settings can differ by language.
		assert.notEqual(scope, "language-overridable");
		assert.equal(OPEN_SCOPES.includes(scope), decision === "tightens", scope);
		// The editor never syncs what belongs to a machine.
		const staysHere = ignoreSync || scope.startsWith("machine");
		if (decision === "ownHere") assert.ok(staysHere, "it is carried to the user's other machines");
		// An untrusted workspace decides nothing: the editor itself withholds what it could set.
		const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
		if (decision === "tightens") assert.ok(restrictedConfigurations.includes(id), "read in Restricted Mode");
	});
}

test("no default of ours overrides a setting of the editor or of anybody else", () => {
	assert.equal(manifest.contributes.configurationDefaults, undefined);
});

test("the manifest's defaults are those the host assumes when nothing is set", () => {
	const defaults: unknown = Settings.parse({});
	for (const [id, { default: stated }] of Object.entries(properties)) {
		const path = id.split(".").slice(1);
		if (!(path[0] === "approval" || (path[0] ?? "") in PartialSettings.shape)) continue;
		const inForce = path.reduce<unknown>(
			(value, key) => (value as Readonly<Record<string, unknown>> | undefined)?.[key],
			defaults,
		);
		// An empty text stands for one that is not set.
		assert.deepEqual(stated === "" ? inForce : stated, inForce, id);
	}
});

const LIMITS = ["minimum", "maximum", "exclusiveMinimum", "maxItems"] as const;

/** What a schema says about the values that it accepts, as far as the manifest can say it, too. */
interface Accepted extends Readonly<Partial<Record<(typeof LIMITS)[number], number>>> {
	/** With every value named, there are no others to limit. */
	readonly enum?: readonly unknown[];
	readonly properties?: Readonly<Record<string, Accepted>>;
	readonly additionalProperties?: Accepted | boolean;
	readonly items?: Accepted;
	readonly anyOf?: readonly Accepted[];
}

test("the manifest offers the keys that the host reads, within the limits that the host accepts", () => {
	const host = z.toJSONSchema(Settings, { io: "input", unrepresentable: "any" }) as Accepted;
	const differences = Object.entries(properties).flatMap(([id, stated]) => {
		const path = id.split(".").slice(1);
		if (!(path[0] === "approval" || (path[0] ?? "") in PartialSettings.shape)) return [];
		const read = path.reduce<Accepted>((at, key) => at.properties?.[key] ?? assert.fail(id), host);
		return compareAccepted(id, stated as Accepted, read);
	});
	assert.deepEqual(differences, []);
});

function compareAccepted(where: string, stated: Accepted, read: Accepted): readonly string[] {
	const forms = read.anyOf ?? [read];
	const limits = LIMITS.filter(
		(limit) => stated.enum === undefined && !forms.some((form) => stated[limit] === reachable(form[limit])),
	);
	const keys: Readonly<Record<string, Accepted>> = Object.assign({}, ...forms.map((form) => form.properties ?? {}));
	const named = stated.properties === undefined ? [] : [...Object.keys(stated.properties), ...Object.keys(keys)];
	const inside = [...new Set(named)].flatMap((key) => {
		const [offered, accepted] = [stated.properties?.[key], keys[key]];
		if (offered === undefined || accepted === undefined) return [`${where}.${key}`];
		return compareAccepted(`${where}.${key}`, offered, accepted);
	});
	const parts = (["additionalProperties", "items"] as const).flatMap((part) => {
		const [offered, accepted] = [stated[part], forms.find((form) => typeof form[part] === "object")?.[part]];
		if (typeof offered !== "object" || typeof accepted !== "object") return [];
		return compareAccepted(`${where} ${part}`, offered, accepted);
	});
	return [...limits.map((limit) => `${where}: ${limit}`), ...inside, ...parts];
}

/** Numbers end where they are no longer exact. */
function reachable(limit: number | undefined): number | undefined {
	return Math.abs(limit ?? 0) === Number.MAX_SAFE_INTEGER ? undefined : limit;
}
