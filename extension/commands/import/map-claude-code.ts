import type { Message } from "../../../l10n/t.ts";
import { FULL_ACCESS, type Mapped, NO_SUCH_SETTING, SECRET, UNKNOWN_VALUE } from "./imported-settings.ts";

type Json = Readonly<Record<string, unknown>>;

const SECRETS = ["env", "apiKeyHelper", "awsAuthRefresh", "awsCredentialExport", "otelHeadersHelper"];
const NARROWER = "Vitrine's rules match the beginning of a command" satisfies Message;
const WORD = /^[\w./:@=+-]+$/;

/** The settings of Claude Code's `settings.json` as ours, one after the other. */
export function mapClaudeCode(settings: Json): readonly (readonly [name: string, to: Mapped])[] {
	return Object.entries(settings).flatMap(([name, value]): readonly (readonly [string, Mapped])[] => {
		if (name === "$schema") return [];
		if (SECRETS.includes(name)) return [[name, SECRET]];
		if (name === "model") return [[name, mapModel(value)]];
		if (name === "effortLevel") return [[name, { "model.reasoningEffort": value }]];
		if (name === "autoCompactEnabled") return [[name, { "compaction.auto": value }]];
		if (name === "permissions" && typeof value === "object" && value !== null) return mapPermissions(value as Json);
		return [[name, NO_SUCH_SETTING]];
	});
}

/** A name such as `opus` means another model every few months. */
function mapModel(value: unknown): Mapped {
	const isWhole = typeof value === "string" && value.startsWith("claude-");
	return isWhole ? { "model.provider": "anthropic", "model.id": value } : UNKNOWN_VALUE;
}

function mapPermissions(permissions: Json): readonly (readonly [string, Mapped])[] {
	return Object.entries(permissions).flatMap(([key, value]): readonly (readonly [string, Mapped])[] => {
		const name = `permissions.${key}`;
		if (key === "defaultMode") return [[name, mapMode(value)]];
		if (key === "additionalDirectories") return [[name, { "permissions.writableRoots": value }]];
		if ((key !== "allow" && key !== "deny") || !Array.isArray(value)) return [[name, NO_SUCH_SETTING]];
		return value.map((rule) => [`${name}: ${String(rule)}`, mapRule(String(rule), key)] as const);
	});
}

function mapMode(value: unknown): Mapped {
	switch (value) {
		case "plan":
			return { "modes.collaboration": "plan" };
		case "default":
			return { "permissions.mode": "ask" };
		case "acceptEdits":
			return { "permissions.mode": "workspaceWrite" };
		case "bypassPermissions":
			return FULL_ACCESS;
		default:
			return UNKNOWN_VALUE;
	}
}

/** `Bash(npm test:*)` and `Read(~/.aws/**)`. */
function mapRule(rule: string, decision: "allow" | "deny"): Mapped {
	const [, tool, about = ""] = /^(\w+)\((.*)\)$/s.exec(rule) ?? [];
	if (tool === "Bash") return mapCommandRule(about, decision);
	if (tool !== "Read" || decision === "allow") return NO_SUCH_SETTING;
	const place = about.replace(/\/\*\*$/, "").replace(/^\/\//, "/");
	const isPlace =
		/^(?:~\/|\/)/.test(place) && (place.startsWith("~/") || about.startsWith("//")) && !/[*?]/.test(place);
	return isPlace ? { "permissions.denyRead": [place] } : NO_SUCH_SETTING;
}

function mapCommandRule(about: string, decision: "allow" | "deny"): Mapped {
	const [, words = ""] = /^(.*?)(?::\*| \*)$/s.exec(about) ?? [];
	// Without a star, only this very command is meant.
	const isOpen = words !== "";
	if (!isOpen && decision === "allow") return NARROWER;
	const prefix = (isOpen ? words : about).split(" ");
	return prefix.every((word) => WORD.test(word)) ? { "permissions.rules": [{ prefix, decision }] } : NO_SUCH_SETTING;
}
