import type { Backend, Sandbox, SandboxPlaces } from "./backend.ts";
import { createGroupJournal } from "./command/group-journal.ts";
import { createBubblewrap } from "./linux/backend.ts";
import { createSeatbelt } from "./macos/backend.ts";
import { SANDBOX_EXEC } from "./macos/profile.ts";
import { startUncontained } from "./none/start-uncontained.ts";

/**
 * Creates the sandbox of one host with the backend of this platform. Only a policy that was sealed without a sandbox
 * lets a command start without one: a sandbox that fails refuses.
 */
export function createSandbox(places: SandboxPlaces): Sandbox {
	const groups = createGroupJournal(places.home);
	const backend =
		process.platform === "darwin" ? createSeatbelt(places, SANDBOX_EXEC, groups) : createBubblewrap(places);
	const note = (end: { readonly state: string; readonly code?: string }): void => {
		if (end.state === "refused" && end.code === "sandbox-unavailable") backend.doubt();
	};
	const start: Backend["start"] = async (request, options) => {
		if (request.policy.noSandbox !== undefined) {
			await options.before?.();
			return startUncontained(request, options, groups);
		}
		const started = await backend.start(request, options);
		if (started.state === "refused") note(started);
		else void started.ended.then(note);
		return started;
	};
	return {
		...backend,
		start,
		run: async (request, options, signal) => {
			signal.throwIfAborted();
			const started = await start(request, options);
			if (started.state === "refused") return started;
			const stop = (): void => started.stop();
			if (signal.aborted) stop();
			signal.addEventListener("abort", stop, { once: true });
			return started.ended.finally(() => signal.removeEventListener("abort", stop));
		},
	};
}
