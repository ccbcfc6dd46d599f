import child from "node:child_process";
import { readFileSync } from "node:fs";
import { toUnix } from "./paths.ts";

type SpawnOptions = child.SpawnOptions & { readonly windowsVerbatimArguments?: boolean };

/** `child_process` as it answers on Windows, with the shells of this machine in place of PowerShell and cmd. */
export const fakeProcesses = {
	...child,
	spawn: (program: string, args: readonly string[], options: SpawnOptions = {}): child.ChildProcess => {
		if (options.detached === true) throw new Error("A detached process opens a console window on Windows.");
		// As Node does since it no longer quotes for cmd.
		if (/\.(?:cmd|bat)$/i.test(program)) throw Object.assign(new Error("spawn EINVAL"), { code: "EINVAL" });
		const [file = "", ...words] = onThisMachine([program, ...args]);
		const { cwd, env, ...rest } = options;
		return child.spawn(file, words, {
			...rest,
			...(typeof cwd === "string" && { cwd: toUnix(cwd) }),
			...(env !== undefined && { env: unixEnvironment(env) }),
			windowsVerbatimArguments: false,
		});
	},
};

function onThisMachine([program = "", ...args]: readonly string[]): readonly string[] {
	if (/\\taskkill\.exe$/i.test(program)) {
		const pid = Number(args[args.indexOf("/pid") + 1]);
		return ["/bin/sh", "-c", `kill -9 ${[pid, ...descendantsOf(pid)].join(" ")} 2>/dev/null`];
	}
	if (/\\(?:powershell|pwsh)\.exe$/i.test(program)) return ["/bin/sh", "-c", args.at(-1) ?? ""];
	// Says what it was given.
	if (/\\cmd\.exe$/i.test(program)) return ["/bin/echo", ...args];
	return [toUnix(program), ...args];
}

function unixEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	const path = Object.entries(env).find(([name]) => name.toLowerCase() === "path")?.[1] ?? "";
	return { ...env, PATH: path.split(";").map(toUnix).join(":") };
}

function descendantsOf(pid: number): readonly number[] {
	const children = childrenOf(pid);
	return [...children, ...children.flatMap(descendantsOf)];
}

function childrenOf(pid: number): readonly number[] {
	try {
		return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
	} catch {
		return [];
	}
}

/** On Windows there are no groups to signal, and what a process started outlives it. */
export function hideProcessGroups(): void {
	const kill = process.kill.bind(process);
	process.kill = (pid, signal) => {
		if (pid < 0) throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH", errno: -3, syscall: "kill" });
		return kill(pid, signal);
	};
}
