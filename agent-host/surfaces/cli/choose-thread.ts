import { HostError } from "../../protocol/errors.ts";
import type { ThreadId } from "../../protocol/ids.ts";
import { quote } from "../../protocol/say.ts";
import type { Session } from "../../session/session.ts";
import { readHeld, readWorkspace } from "../../session/thread/last-envelope.ts";
import { matchFolder } from "../match-folder.ts";
import type { CommandIo } from "./cli-command.ts";
import type { ExecOptions } from "./exec-options.ts";

/** The thread that a task runs in, with the session set up for it. */
export async function chooseThread(
	session: Session,
	{ source, cwd }: Pick<ExecOptions, "source" | "cwd">,
	io: CommandIo,
): Promise<ThreadId> {
	if (source.kind === "new") return session.threads.start({ cwd, settings: {} });
	const named = source.thread === "last" ? await findLast(session, cwd ?? io.cwd) : source.thread;
	const threadId = source.kind === "fork" ? await session.threads.fork(named, undefined) : named;
	await continueAs(session, threadId, cwd);
	return threadId;
}

async function findLast({ threads }: Session, folder: string): Promise<ThreadId> {
	const known = await threads.list();
	const isHere = matchFolder(folder);
	// A sub-agent's thread is part of the task that started it.
	const here = known.filter(({ cwd, archived, agent }) => !archived && agent === undefined && isHere(cwd));
	const [newest] = here.toSorted((a, b) => b.updatedAt - a.updatedAt);
	if (newest === undefined) throw new HostError("thread-not-found", quote(`There is no thread in ${folder} yet.`));
	return newest.threadId;
}

/**
 * A thread goes on under its own settings: others in their place would count as settings that changed. It stays in its
 * folder, trusted as it was there, unless the user names a folder.
 */
async function continueAs({ threads, facts }: Session, threadId: ThreadId, cwd: string | undefined): Promise<void> {
	const { held, envelope } = (await threads.open(threadId)).state();
	facts.settings = held ?? readHeld(envelope) ?? {};
	const last = readWorkspace(envelope);
	if (cwd !== undefined || last === undefined) return;
	facts.folders = last.roots;
	facts.trusted = last.trusted;
}
