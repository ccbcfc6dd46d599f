import { isInside } from "../../agent-host/permissions/reach/reach.ts";
import type { FileAccess, PolicyEntry } from "../../agent-host/protocol/settings/policy-settings.ts";
import { OWN_PLACES } from "../../agent-host/sandbox/layout/plan-layout.ts";

/** How many values follow each option. One that is not listed is not understood, and that is said. */
const VALUES: Readonly<Record<string, number>> = {
	"--ro-bind": 2,
	"--ro-bind-try": 2,
	"--bind": 2,
	"--dev-bind": 2,
	"--tmpfs": 1,
	"--perms": 1,
	"--dir": 1,
	"--symlink": 2,
	"--dev": 1,
	"--proc": 1,
	"--remount-ro": 1,
	"--setenv": 2,
	"--chdir": 1,
	"--cap-drop": 1,
	"--clearenv": 0,
	"--new-session": 0,
	"--die-with-parent": 0,
	"--unshare-user": 0,
	"--unshare-pid": 0,
	"--unshare-ipc": 0,
	"--unshare-uts": 0,
	"--unshare-net": 0,
};

/** What bubblewrap's options grant, as entries again: the proof that they say what the policy says. */
export function decompile(options: readonly string[]): readonly PolicyEntry[] {
	let entries: readonly PolicyEntry[] = [{ path: "/", access: "none" }];
	let perms = "0755";
	for (const [option = "", first = "", second = ""] of splitOptions(options)) {
		if (option === "--perms") perms = first;
		const mounted = mountedBy(option, first, second, perms);
		if (option !== "--perms") perms = "0755";
		if (mounted === undefined || OWN_PLACES.some((own) => isInside(mounted.path, own))) continue;
		// A mount covers whatever was mounted at or below its place before.
		entries = [...entries.filter((entry) => !isInside(entry.path, mounted.path)), mounted];
	}
	return entries;
}

function mountedBy(option: string, first: string, second: string, perms: string): PolicyEntry | undefined {
	switch (option) {
		case "--ro-bind":
		case "--ro-bind-try":
			// Something else in its place: nothing of what lies there is granted.
			return { path: second, access: first === second ? "read" : "none" };
		case "--bind":
		case "--dev-bind":
			return { path: second, access: first === second ? "write" : "none" };
		case "--tmpfs":
			return { path: first, access: accessOf(perms) };
		default:
			return undefined;
	}
}

function accessOf(perms: string): FileAccess {
	if (perms === "0555") return "read";
	return perms === "0000" || perms === "0111" ? "none" : "write";
}

function* splitOptions(options: readonly string[]): Iterable<readonly string[]> {
	for (let index = 0; index < options.length; ) {
		const option = options[index] ?? "";
		const values = VALUES[option];
		if (values === undefined) throw new Error(`${option} is not an option that the sandbox uses.`);
		yield options.slice(index, index + 1 + values);
		index += 1 + values;
	}
}
