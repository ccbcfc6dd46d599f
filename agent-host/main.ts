import { serveEditor } from "./surfaces/editor/serve.ts";
import { VERSION } from "./version.ts";

const USAGE = "Usage: agent-host --stdio | --node-ipc | --version";

const args = process.argv.slice(2);
if (args.includes("--version")) console.log(VERSION);
else if (args.includes("--node-ipc")) serveEditor("ipc");
else if (args.includes("--stdio")) serveEditor("stdio");
else {
	console.error(USAGE);
	process.exitCode = 2;
}
