import { stat } from "node:fs/promises";
import { HostError } from "../../protocol/errors.ts";
import { quote } from "../../protocol/say.ts";
import type { Home } from "../../store/home/home.ts";

/** The sentence about a home that is named but is not there: for commands that only read one, and must not make it. */
export async function refuseMissingHome(home: string | undefined): Promise<string | undefined> {
	if (home === undefined) return undefined;
	return stat(home).then(
		() => undefined,
		({ code }: NodeJS.ErrnoException) => (code === "ENOENT" ? `--home: ${home} does not exist.` : undefined),
	);
}

/** Fails if the threads of a home cannot be read. One that cannot be written is still read. */
export async function checkHome({ disk, folder, threads }: Home): Promise<void> {
	const error = await disk.list(threads).then(
		() => undefined,
		(failure: NodeJS.ErrnoException) => failure,
	);
	if (error === undefined) return;
	const reason =
		error.code === "ENOTDIR" ? `${folder} is not a folder.` : `Threads in ${folder} cannot be read (${error.code}).`;
	throw new HostError("storage-unavailable", quote(reason));
}
