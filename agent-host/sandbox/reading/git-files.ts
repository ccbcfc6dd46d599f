import { readFileSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { type GitSetting, includedFiles, readGitConfig } from "../protect/git-config.ts";

const CONFIGURATIONS = [".gitconfig", ".config/git/config"];
const MAX_BYTES = 65_536;
/** Excludes credential stores and signing keys. */
const READ = ["core.excludesfile", "core.attributesfile", "blame.ignorerevsfile", "commit.template"];
/** Settings that people move to a separate file in order not to share them. */
const SECRET_NAME = /token|password|secret|oauth|extraheader/i;
const SECRET_ADDRESS = /:\/\/[^/@\s]+@/;

/**
 * Files that the user's Git configuration names and Git reads with it: ignore files and further configuration.
 * Configuration that commands can write names nothing.
 */
export function listGitFiles(home: string, isWritten: (path: string) => boolean): readonly string[] {
	const settingsIn = (file: string) => (isWritten(file) ? [] : readSettings(file));
	const own = CONFIGURATIONS.map((name) => ({ file: join(home, name), settings: settingsIn(join(home, name)) }));
	const included = own.flatMap(({ file, settings }) => includedFiles(settings, dirname(file), home));
	const further = included.map((file) => ({ file, settings: settingsIn(file) })).filter(tellsNoSecret);
	const named = [...own, ...further].flatMap(({ settings }) => settings.flatMap((setting) => fileIn(setting, home)));
	// A folder would open more than Git reads.
	return [...further.map(({ file }) => file), ...named].filter((path) => readSize(path) !== undefined);
}

function readSettings(file: string): readonly GitSetting[] {
	try {
		return (readSize(file) ?? MAX_BYTES) < MAX_BYTES ? readGitConfig(readFileSync(file, "utf8")) : [];
	} catch {
		return [];
	}
}

function tellsNoSecret({ settings }: { readonly settings: readonly GitSetting[] }): boolean {
	const isSecret = ({ name, value }: GitSetting) =>
		SECRET_NAME.test(name) || SECRET_ADDRESS.test(name) || SECRET_ADDRESS.test(value);
	return settings.length > 0 && !settings.some(isSecret);
}

function fileIn({ name, value }: GitSetting, home: string): readonly string[] {
	if (!READ.includes(name)) return [];
	if (value.startsWith("~/")) return [join(home, value.slice(2))];
	return isAbsolute(value) ? [value] : [];
}

/** Only for a file. */
function readSize(path: string): number | undefined {
	try {
		const stat = statSync(path, { throwIfNoEntry: false });
		return stat?.isFile() === true ? stat.size : undefined;
	} catch {
		return undefined;
	}
}
