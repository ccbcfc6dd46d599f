import { resolve } from "node:path";
import { type LegacyPolicy, PolicyFile } from "../../protocol/settings/policy-file.ts";
import type { PolicyEntry } from "../../protocol/settings/policy-settings.ts";
import { digestValue } from "../policy/policy.ts";
import { expandEntries, type PolicyPlaces } from "./resolve-policy.ts";

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

/** The older mode with exactly the same meaning, or undefined if something would be lost. */
export function toLegacy(file: PolicyFile, places: LegacyPlaces): LegacyPolicy | undefined {
	const temp = [SLASH_TMP, ...(places.tmpdir === undefined ? [] : [places.tmpdir])];
	const known: Pick<PolicyPlaces, "roots" | "home" | "temp"> = { roots: [places.cwd], home: places.home, temp };
	const filesystem = expandEntries(file.filesystem, known);
	const candidates = (["read-only", "workspace-write", "external-sandbox", "danger-full-access"] as const).map((mode) =>
		candidate(mode, filesystem, file, places),
	);
	const wanted = digestValue({ ...file, filesystem: sorted(filesystem) });
	return candidates.find((legacy) => {
		const again = fromLegacy(legacy, places);
		return digestValue({ ...again, filesystem: sorted(again.filesystem) }) === wanted;
	});
}

function candidate(
	mode: LegacyPolicy["sandbox_mode"],
	filesystem: readonly PolicyEntry[],
	file: PolicyFile,
	{ cwd, tmpdir }: LegacyPlaces,
): LegacyPolicy {
	const written = filesystem.filter(({ access }) => access === "write").map(({ path }) => path);
	const usual = [cwd, SLASH_TMP, tmpdir];
	return {
		sandbox_mode: mode,
		writable_roots: mode === "workspace-write" ? written.filter((path) => !usual.includes(path)) : [],
		network_access: file.network === "on",
		exclude_tmpdir_env_var: mode === "workspace-write" && tmpdir !== undefined && !written.includes(tmpdir),
		exclude_slash_tmp: mode === "workspace-write" && !written.includes(SLASH_TMP),
	};
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

function sorted(entries: readonly PolicyEntry[]): readonly string[] {
	return entries.map(({ path, access }) => `${access} ${path}`).sort();
}
