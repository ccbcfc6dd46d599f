import { resolve } from "node:path";
import { type LegacyPolicy, PolicyFile } from "../../protocol/settings/policy-file.ts";
import type { PolicyEntry } from "../../protocol/settings/policy-settings.ts";

/** Places that the older modes imply without naming them. */
export interface LegacyPlaces {
	readonly cwd: string;
	/** The value of TMPDIR, if set. */
	readonly tmpdir: string | undefined;
	readonly home: string;
}

const SLASH_TMP = "/tmp";

/** Converts an older mode to a policy file; always possible. */
export function fromLegacy(legacy: LegacyPolicy, places: LegacyPlaces): PolicyFile {
	const isOnline = legacy.network_access === true || legacy.network_access === "enabled";
	const network = isOnline || legacy.sandbox_mode === "danger-full-access" ? "on" : "off";
	switch (legacy.sandbox_mode) {
		case "read-only":
			return PolicyFile.parse({ filesystem: [{ path: "/", access: "read" }], network });
		case "workspace-write":
			return PolicyFile.parse({ filesystem: workspaceEntries(legacy, places), network });
		case "danger-full-access":
		case "external-sandbox":
			return PolicyFile.parse({ filesystem: [{ path: "/", access: "write" }], network, protect: false });
	}
}

function workspaceEntries(legacy: LegacyPolicy, { cwd, tmpdir }: LegacyPlaces): readonly PolicyEntry[] {
	const written = [
		cwd,
		...(legacy.exclude_slash_tmp ? [] : [SLASH_TMP]),
		...(legacy.exclude_tmpdir_env_var || tmpdir === undefined ? [] : [tmpdir]),
		...legacy.writable_roots.map((path) => resolve(path)),
	];
	return [{ path: "/", access: "read" }, ...[...new Set(written)].map((path) => ({ path, access: "write" as const }))];
}
