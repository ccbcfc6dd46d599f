import type { StartOptions } from "../backend.ts";
import type { Stdio } from "../launch.ts";

/** The three streams of a command whose output is read through Node's pipes. */
export function stdioFor({ streams, input }: StartOptions): readonly [Stdio, Stdio, Stdio] {
	if (streams === "inherited") return ["inherit", "inherit", "inherit"];
	return [input === "open" ? "pipe" : "ignore", "pipe", "pipe"];
}

/** Bash takes a socket, which Node's pipes are, for a remote login and reads start-up files, but not in a second shell. */
export function shellLevel({ input }: StartOptions): Readonly<Record<string, string>> {
	return input === "open" ? { SHLVL: "1" } : {};
}
