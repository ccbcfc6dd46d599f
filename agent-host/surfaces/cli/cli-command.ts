import type { Readable, Writable } from "node:stream";

/** What a command may touch besides files. */
export interface CommandIo {
	readonly stdin: Readable;
	readonly stdout: Writable;
	readonly stderr: Writable;
	readonly cwd: string;
	/** A person can be asked: input and error output are a terminal. */
	readonly canAsk: boolean;
	/** Standard output is a terminal, which obeys control characters. */
	readonly isShown: boolean;
}

/** Runs to the end; returns the exit status. */
export type Command = (args: readonly string[], io: CommandIo) => Promise<number>;
