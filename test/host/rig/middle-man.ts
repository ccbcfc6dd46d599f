// Stands between the test and a host, as an editor does, so that the test can kill it: starts the host, sends
// `initialize`, and prints the host's process id when the host has answered.
import { initialize, launchHost } from "../../support/host-process.ts";

const [transport, home] = process.argv.slice(2);
if (home === undefined) throw new Error("usage: middle-man.ts stdio|ipc HOME");
const spec = { home, transport: transport === "ipc" ? "ipc" : "stdio", env: { ...inherited() } } as const;
const host = launchHost(spec);
await initialize(host, spec);
process.stdout.write(`${host.pid}\n`);

function inherited(): Record<string, string> {
	return Object.fromEntries(
		Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
	);
}
