import type { HostOptions } from "../protocol/host/host-options.ts";
import { endLeftGroups } from "../sandbox/command/group-journal.ts";
import { findRipgrep } from "../sandbox/find-ripgrep.ts";
import { cleanUpDeadHosts } from "../sandbox/protect/guard-journal.ts";
import { type Facts, readClientSettings } from "../session/facts.ts";
import type { ClientPorts } from "../session/ports/ports.ts";
import { openServerMemory } from "../session/server-memory.ts";
import { createSession, type Session } from "../session/session.ts";
import { openDayLedger } from "../store/home/day-ledger.ts";
import { REAL_DISK } from "../store/home/disk.ts";
import { defaultHome, openHome } from "../store/home/home.ts";
import { lockThread } from "../store/home/lock.ts";

/** A session on this machine's disk and sandbox, for any client that the ports lead to. */
export async function openSession(
	folders: readonly string[],
	options: HostOptions,
	ports: ClientPorts,
	documents: Map<string, string>,
	more: Pick<Facts, "policy" | "isCeiling" | "pursuesGoals"> = {},
): Promise<Session> {
	const [home, ripgrep] = await Promise.all([
		openHome(REAL_DISK, lockThread, options.home ?? defaultHome()),
		findRipgrep(options.ripgrep, process.env.PATH, folders),
	]);
	const facts: Facts = {
		folders,
		closedFolders: [],
		worktrees: { list: [] },
		trusted: options.trusted,
		settings: readClientSettings(options.settings),
		documents,
		surface: options.surface,
		environment: options.environment,
		locale: options.locale,
		asksUser: options.asksUser,
		knowsLanguages: options.knowsLanguages,
		hasTools: options.hasTools,
		...more,
	};
	// Must come first: what a command of a dead host has left must not be read, above all AGENTS.md.
	endLeftGroups(home.folder);
	const cleanedUp = await cleanUpDeadHosts(home.folder);
	const servers = await openServerMemory(home, ports.now);
	return createSession({
		home,
		facts,
		cleanedUp,
		ripgrep,
		ports: { ...ports, servers, dailySpending: openDayLedger(home) },
	});
}
