import * as z from "zod";
import { ClientSettings } from "../settings/client-settings.ts";

/** `initializationOptions` of the `initialize` request. */
export const HostOptions = z.object({
	/** Folder for threads; without it `VITRINE_HOME`, else `~/.vitrine`. */
	home: z.string().optional(),
	trusted: z.boolean().default(false),
	settings: ClientSettings.default({}),
	surface: z.object({ name: z.string(), version: z.string() }).default({ name: "unknown", version: "0" }),
	/** The language of the editor, such as `de`; the model is told one that is not English. */
	locale: z.string().max(100).optional(),
	/** Where the workspace folders are, seen from the editor's window. */
	environment: z.enum(["local", "remote", "container"]).default("local"),
	/** The editor's own ripgrep, when it ships one. */
	ripgrep: z.string().optional(),
});
export type HostOptions = z.infer<typeof HostOptions>;
