import { createServerMemory, KnownServers, type ServerMemory } from "../model/memory.ts";
import type { Home } from "../store/home/home.ts";
import { openServersFile } from "../store/home/server-file.ts";

/** What earlier runs learned about model servers; new knowledge is saved beside the threads. */
export async function openServerMemory(home: Home, now: () => number): Promise<ServerMemory> {
	const file = openServersFile(home);
	const known = KnownServers.safeParse((await file.load()) ?? {});
	// Another release may have written another shape; all of it can be learned again.
	return createServerMemory(known.success ? known.data : { servers: {} }, file.save, now);
}
