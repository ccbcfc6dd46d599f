import { type Said, say } from "../say.ts";
import type { ApprovalSubject } from "./approval.ts";

/** What an approval is about, on one line. */
export function nameSubject(subject: ApprovalSubject): Said {
	switch (subject.kind) {
		case "command":
			return say("call-run", { command: subject.shell ?? subject.argv.join(" ") });
		case "patch":
			return say("call-change", { paths: subject.files.map(({ path }) => path).join(", ") });
		case "permission":
			return say("call-read", { path: subject.read.join(", ") });
		case "network":
			return say("call-connect", { host: subject.host, port: subject.port });
		case "serverTool":
			return say("call-server-tool", { tool: subject.tool, server: subject.server });
		case "editorTool":
			return say("call-editor-tool", { tool: subject.tool });
		case "customizations":
			return say("call-use", { paths: subject.entries.map(({ path }) => path).join(", ") });
	}
}
