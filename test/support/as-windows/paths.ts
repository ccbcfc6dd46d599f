import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

const DRIVE = "C:";

/** How a path of this machine is written on the drive. */
export function toWindows(path: string): string {
	return path.startsWith("/") ? `${DRIVE}${path.replaceAll("/", "\\")}` : path;
}

/** What a path of the drive is on this machine. Names are found whatever their case; other drives are empty. */
export function toUnix(path: string): string {
	const plain = path.replace(/^\\\\\?\\/, "").replaceAll("\\", "/");
	const [, drive = DRIVE, rest = ""] = /^([A-Za-z]:)?(\/.*)?$/s.exec(plain) ?? [undefined, DRIVE, plain];
	if (isOfSystem(path)) return "/bin/sh";
	if (drive.toUpperCase() !== DRIVE || isOfUnix(rest)) return join("/nonexistent-drive", rest);
	return existsSync(rest) ? rest : inAnyCase(rest === "" ? "/" : rest);
}

/** The programs that come with Windows are there, whatever they are on this machine. */
export function isOfSystem(path: string): boolean {
	return /^C:\\Windows\\System32\\.*\.exe$/i.test(path);
}

/** Windows has no such folders. */
function isOfUnix(path: string): boolean {
	return /^\/(?:proc|sys|dev)(?:\/|$)/.test(path);
}

function inAnyCase(path: string): string {
	let at = "/";
	for (const name of path.split("/").filter((part) => part !== "")) {
		const next = join(at, name);
		at = existsSync(next)
			? next
			: join(at, namesIn(at).find((one) => one.toLowerCase() === name.toLowerCase()) ?? name);
	}
	return at;
}

function namesIn(folder: string): readonly string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

/** The variables of a Windows user with the folders of this one. Names are found whatever their case. */
export function windowsEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const { PATH = "", HOME = "/", NODE_OPTIONS: _, LANG: __, ...rest } = env;
	const path = PATH.split(":").map(toWindows);
	const variables: Record<string, string | undefined> = {
		...rest,
		Path: path.join(";"),
		PATHEXT: ".COM;.EXE;.BAT;.CMD",
		SystemRoot: "C:\\Windows",
		ComSpec: "C:\\Windows\\System32\\cmd.exe",
		USERPROFILE: toWindows(HOME),
		TEMP: toWindows("/tmp"),
	};
	const nameOf = (name: string | symbol) =>
		Object.keys(variables).find((one) => one.toLowerCase() === String(name).toLowerCase()) ?? String(name);
	return new Proxy(variables, {
		get: (target, name) => target[nameOf(name)],
		has: (target, name) => nameOf(name) in target,
		set: (target, name, value) => Reflect.set(target, nameOf(name), String(value)),
		deleteProperty: (target, name) => Reflect.deleteProperty(target, nameOf(name)),
	});
}
