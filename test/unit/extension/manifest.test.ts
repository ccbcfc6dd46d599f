import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { firstWordMs } from "../../../agent-host/model/local-server.ts";
import { accessTo } from "../../../agent-host/permissions/reach/reach.ts";
import { Wire } from "../../../agent-host/protocol/settings/model-values.ts";
import { ModelSettings, Settings } from "../../../agent-host/protocol/settings/settings.ts";
import { aPolicy } from "../../support/a-policy.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

const words = JSON.parse(readFileSync(join(ROOT, "package.nls.json"), "utf8"));

test("every text that the manifest names exists, and none is unused", () => {
	const used = [...JSON.stringify(manifest).matchAll(/%([\w.-]+)%/g)].map((match) => match[1] ?? "");
	assert.deepEqual([...new Set(used)].sort(), Object.keys(words).sort());
});

test("the walkthrough states what a new thread's policy lets commands read", () => {
	const closed = { places: ["/home/me"], except: ["/home/me/.cargo"] };
	const policy = aPolicy({ places: { closed } });
	const paths = ["/etc/passwd", "/home/me/.cargo/bin", "/home/me/letter.txt"];
	assert.deepEqual(
		paths.map((path) => accessTo(policy, path)),
		["read", "read", "none"],
	);
	const said =
		"They can also read system files and your toolchains, but nothing else in your home folder unless you allow it.";
	assert.ok(words["walkthrough.trust.description"].includes(said));
});

test("the description of the idle timeout says how long a server nearby has for its first word", () => {
	const { idleMs } = Settings.parse({}).retry;
	const minutes = firstWordMs("http://127.0.0.1:11434/v1", idleMs) / 60_000;
	assert.match(words["setting.retry.idleMs"], new RegExp(` ${minutes} minutes `));
	// The user's own limit counts there, too.
	assert.equal(firstWordMs("http://127.0.0.1:11434/v1", idleMs + 1), idleMs + 1);
});

test("the descriptions of provider and API name every API that a server may have", () => {
	const named: Readonly<Record<Wire, RegExp>> = {
		responses: /Responses API/,
		chat: /Chat Completions/,
		messages: /Messages API/,
		gemini: /Gemini/,
	};
	for (const wire of Wire.options) {
		assert.match(words["setting.model.provider.compatible"], named[wire]);
		assert.match(words[`setting.model.wire.${wire}`], named[wire]);
	}
});

const declared: Readonly<Record<string, { readonly scope: string; readonly default: unknown }>> = Object.assign(
	{},
	...manifest.contributes.configuration.map(({ properties }: { properties: object }) => properties),
);

const PERMISSIONS = /^vitrine\.(?:permissions\.|approval$)/;

/** Settings that the host never receives: it gets what is attached, not the choice, and nothing that only the editor shows. */
const EXTENSION_ONLY = ["vitrine.trace", "vitrine.chat.", "vitrine.context.editorContext", "vitrine.notifications."];

function orEmpty(value: unknown): unknown {
	return value === undefined ? "" : value;
}

test("every setting's id is its path in the protocol, and its default is the protocol's", () => {
	const settings = Settings.parse({});
	const told = Object.entries(declared).filter(([id]) => !EXTENSION_ONLY.some((own) => id.startsWith(own)));
	const found = told.map(([id, property]) => [id, property.default]);
	const expected = found.map(([id]) => [id, orEmpty(valueAt(settings, String(id)))]);
	assert.deepEqual(found, expected);
});

test("permissions of an untrusted workspace are not even read", () => {
	const restricted: readonly string[] = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
	const free = Object.keys(declared).filter((id) => PERMISSIONS.test(id) && !restricted.includes(id));
	assert.deepEqual(free, []);
});

test("no setting offers full access", () => {
	assert.doesNotMatch(JSON.stringify(declared), /"full"/);
});

test("where requests go, what they say and what they may cost can be set by the user only, never by a workspace", () => {
	const own = Object.entries(declared).filter(([id]) => /^vitrine\.(?:model|budgets|retry|instructions)\./.test(id));
	assert.ok(own.length > 13);
	assert.deepEqual(
		own.filter(([, { scope }]) => scope !== "application"),
		[],
	);
});

test("the manifest uses no proposed API, and the types match the oldest supported editor", () => {
	assert.equal(manifest.enabledApiProposals, undefined);
	assert.equal(`^${manifest.devDependencies["@types/vscode"]}`, manifest.engines.vscode);
});

function valueAt(settings: object, id: string): unknown {
	const path = id.split(".").slice(1);
	return path.reduce<unknown>((value, key) => {
		assert.ok(typeof value === "object" && value !== null && (key in value || key in ModelSettings.shape), id);
		return Reflect.get(value, key);
	}, settings);
}

/** Keys that widely used extensions bind: with one of them installed, either it or we would lose the key. */
const TAKEN: Readonly<Record<string, string>> = {
	"ctrl+alt+k": "Bookmarks, Code Runner",
	"ctrl+alt+j": "Bookmarks",
	"ctrl+alt+l": "Bookmarks",
	"ctrl+alt+n": "Code Runner",
	"ctrl+alt+m": "Code Runner",
	"ctrl+alt+i": "Copilot Chat",
	"ctrl+alt+v": "Paste Image",
	"ctrl+alt+c": "Remote repositories",
	"alt+k": "Claude Code",
	"alt+r": "the editor's own switch of regular expressions",
	"alt+b": "GitLens",
	"alt+,": "GitLens",
	"alt+.": "GitLens",
	"ctrl+l": "Continue",
	"ctrl+i": "Continue, Copilot Chat",
	"ctrl+'": "Cline",
	"ctrl+escape": "Claude Code",
};

test("none of our keys is taken by a widely used extension", () => {
	const keys: readonly { readonly key: string; readonly mac?: string }[] = manifest.contributes.keybindings;
	const found = keys.flatMap(({ key, mac = key }) => [key, mac.replace("cmd", "ctrl")]).filter((key) => key in TAKEN);
	assert.deepEqual(found, []);
});

test("the title of a view has at most two buttons, so that a click meant for the title starts nothing", () => {
	const buttons: readonly { readonly when: string; readonly group: string }[] = manifest.contributes.menus[
		"view/title"
	].filter(({ group }: { group: string }) => group.startsWith("navigation"));
	const views: readonly string[] = Object.values(manifest.contributes.views)
		.flat()
		.map((view) => (view as { readonly id: string }).id);
	const counts = views.map((view) => buttons.filter(({ when }) => when.includes(`view == ${view}`)).length);
	assert.ok(Math.max(...counts) === 2, `${views.join()}: ${counts.join()}`);
});
