import * as z from "zod";
import { ClientSettings } from "../settings/client-settings.ts";

/** `initializationOptions` of the `initialize` request. */
export const HostOptions = z.object({
	/** Folder for threads; defaults to `VITRINE_HOME`, then `~/.vitrine`. */
	home: z.string().optional(),
	trusted: z.boolean().default(false),
	settings: ClientSettings.default({}),
	surface: z.object({ name: z.string(), version: z.string() }).default({ name: "unknown", version: "0" }),
	/** The editor's language, such as `de`; the model is told if it is not English. */
	locale: z.string().max(100).optional(),
	/** Where the workspace folders are, relative to the editor's window. */
	environment: z.enum(["local", "remote", "container"]).default("local"),
	/** The client can put questions of the agent to the user (`question/ask`). */
	asksUser: z.boolean().default(false),
	/** The client answers about code and tasks (`language/…`, `task/list`). */
	knowsLanguages: z.boolean().default(false),
	/** The client can list and call tools of its editor (`editorTool/…`). */
	hasTools: z.boolean().default(false),
	/** The editor's own ripgrep, if it ships one. */
	ripgrep: z.string().optional(),
});
export type HostOptions = z.infer<typeof HostOptions>;

const COMMANDS: ReadonlySet<string> = new Set(["exec", "compact", "mcp", "acp", "threads", "doctor"]);

/** Whether this way in is a command of `vitrine`: what Vitrine adds to VS Code, such as its commands, is not there. */
export function isOfCommandLine({ name }: HostOptions["surface"]): boolean {
	return COMMANDS.has(name);
}
