import type { PlatformPath } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** A program as the command names it, and its file. */
export interface Program {
	readonly named: string;
	readonly file: string;
}

/** How a program is handed to the system. */
export interface Started {
	readonly file: string;
	readonly args: readonly string[];
	/** The arguments are quoted already. */
	readonly isQuoted: boolean;
}

/** Everything that differs between systems, as values. What acts on it is in `file-calls.ts` and `sandbox/launch.ts`. */
export interface Platform {
	readonly path: PlatformPath;
	/** The same for two names of one place, as far as that can be told without looking. */
	readonly keyOf: (path: string) => string;
	/** A relative path as the model reads and writes it: with slashes. */
	readonly withSlashes: (way: string) => string;
	/** Whether a path is a folder or below it. The root `/` holds every place of this machine, and none of another. */
	readonly isInside: (path: string, folder: string) => boolean;
	/** A name as the system compares it. */
	readonly foldName: (name: string) => string;
	/** Why a path cannot name a file, apart from whether it exists. */
	readonly pathProblem: (path: string) => string | undefined;
	/** A device or another machine's folder: even to look whether it exists can hang, and signs the user in there. */
	readonly isElsewhere: (path: string) => boolean;
	/** A folder's entry must be flushed to outlive a crash; where it cannot be, the file system's journal does it. */
	readonly syncsFolders: boolean;
	/** Other programs may hold a file that is to be replaced or removed, for a moment. */
	readonly isHeldForAMoment: (code: string | undefined) => boolean;
	/** Commands start in a process group of their own, which one signal ends. */
	readonly hasGroups: boolean;
	/** The words of the program that ends a process and all that it started; only where there are no groups. */
	readonly endTree: (pid: number, environment: Environment) => readonly string[];
	/** The words that run a shell string, without the user's start-up files. */
	readonly shellArgv: (
		text: string,
		isThere: (program: string) => boolean,
		environment: Environment,
	) => readonly string[];
	/** A command that sets these variables first, in sight of the user and the model: a line of the shell, or words to run. */
	readonly withVariables: (
		command: string | readonly string[],
		variables: Readonly<Record<string, string>>,
	) => string | readonly string[];
	/** The file names that a program's name may stand for, in order. */
	readonly programNames: (name: string, environment: Environment) => readonly string[];
	/** Whether a name says where the program is. */
	readonly isPlaced: (program: string) => boolean;
	/** How to start a program. Undefined if its arguments cannot be handed over unchanged. */
	readonly start: (program: Program, args: readonly string[], environment: Environment) => Started | undefined;
	/** The same for two ways to write a variable's name. */
	readonly keyOfVariable: (name: string) => string;
	/** Variables that commands need here, besides those that they need everywhere. */
	readonly variables: readonly string[];
	readonly defaultPath: (environment: Environment) => string;
}
