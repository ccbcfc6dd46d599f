import { win32 } from "node:path";
import type { Platform } from "./port.ts";
import { quoteForCmd, quoteForPowerShell } from "./quoting.ts";
import {
	foldWindowsName,
	foldWindowsPath,
	isInsideOnWindows,
	isOtherMachine,
	windowsPathProblem,
} from "./windows-paths.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const BATCH = /\.(?:cmd|bat)$/i;
const PROGRAM_ENDINGS = ".COM;.EXE;.BAT;.CMD";

/** Windows. PowerShell is its shell; batch files, such as npm's, are started through cmd. */
export const WINDOWS: Platform = {
	path: win32,
	keyOf: foldWindowsPath,
	withSlashes: (way) => way.replaceAll("\\", "/"),
	isInside: isInsideOnWindows,
	foldName: foldWindowsName,
	pathProblem: windowsPathProblem,
	isElsewhere: isOtherMachine,
	// A folder can be opened, but flushing it is refused.
	syncsFolders: false,
	isHeldForAMoment: (code) => code === "EPERM" || code === "EBUSY" || code === "EACCES",
	hasGroups: false,
	endTree: (pid, environment) => [inSystem(environment, "taskkill.exe"), "/pid", String(pid), "/T", "/F"],
	shellArgv: (text, isThere, environment) => [
		findPowerShell(isThere, environment),
		"-NoLogo",
		"-NoProfile",
		"-NonInteractive",
		"-Command",
		text,
	],
	withVariables: (command, variables) => {
		const set = Object.entries(variables).map(([name, value]) => `$env:${name} = ${quoteForPowerShell(value)}; `);
		return set.join("") + (typeof command === "string" ? command : `& ${command.map(quoteForPowerShell).join(" ")}`);
	},
	programNames: (name, environment) => {
		const endings = (variable(environment, "PATHEXT") || PROGRAM_ENDINGS)
			.split(";")
			.filter((ending) => /^\.\w+$/.test(ending));
		const isWhole = endings.some((ending) => name.toLowerCase().endsWith(ending.toLowerCase()));
		return isWhole ? [name] : endings.map((ending) => name + ending.toLowerCase());
	},
	isPlaced: (program) => /[\\/]|^[A-Za-z]:/.test(program),
	start: ({ file }, args, environment) => {
		if (!BATCH.test(file)) return { file, args, isQuoted: false };
		const line = quoteForCmd([file, ...args]);
		// cmd removes the outer quotes of what follows /c, and runs the rest.
		return line === undefined
			? undefined
			: { file: inSystem(environment, "cmd.exe"), args: ["/d", "/s", "/v:off", "/c", `"${line}"`], isQuoted: true };
	},
	keyOfVariable,
	variables: [
		...["SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "TEMP", "TMP", "OS", "NUMBER_OF_PROCESSORS"],
		...[
			"USERPROFILE",
			"USERNAME",
			"HOMEDRIVE",
			"HOMEPATH",
			"APPDATA",
			"LOCALAPPDATA",
			"ALLUSERSPROFILE",
			"ProgramData",
		],
		...["ProgramFiles", "ProgramFiles(x86)", "ProgramW6432", "CommonProgramFiles", "CommonProgramFiles(x86)"],
		...["PROCESSOR_ARCHITECTURE", "PSModulePath", "PUBLIC"],
	],
	defaultPath: (environment) => [system(environment), systemRoot(environment)].join(";"),
};

function findPowerShell(isThere: (program: string) => boolean, environment: Environment): string {
	const seven = win32.join(variable(environment, "ProgramFiles") ?? "C:\\Program Files", "PowerShell", "7", "pwsh.exe");
	return isThere(seven) ? seven : win32.join(system(environment), "WindowsPowerShell", "v1.0", "powershell.exe");
}

/** Never looked for on the PATH or in the current folder, where others put files. */
function inSystem(environment: Environment, program: string): string {
	return win32.join(system(environment), program);
}

function system(environment: Environment): string {
	return win32.join(systemRoot(environment), "System32");
}

function systemRoot(environment: Environment): string {
	const root = variable(environment, "SystemRoot");
	return root !== undefined && /^[A-Za-z]:\\/.test(root) ? root : "C:\\Windows";
}

function variable(environment: Environment, name: string): string | undefined {
	const key = keyOfVariable(name);
	return Object.entries(environment).find(([one]) => keyOfVariable(one) === key)?.[1];
}

function keyOfVariable(name: string): string {
	return name.toUpperCase();
}
