import { stat } from "node:fs/promises";

/** The sentence about a home that is named but is not there: for commands that only read one, and must not make it. */
export async function refuseMissingHome(home: string | undefined): Promise<string | undefined> {
	if (home === undefined) return undefined;
	return stat(home).then(
		() => undefined,
		({ code }: NodeJS.ErrnoException) => (code === "ENOENT" ? `--home: ${home} does not exist.` : undefined),
	);
}
