import * as z from "zod";
import { PartialSettings } from "./settings.ts";

/** `initializationOptions` of the `initialize` request. */
export const HostOptions = z.object({
	/** Folder for threads; without it `VITRINE_HOME`, else `~/.vitrine`. */
	home: z.string().optional(),
	trusted: z.boolean().default(false),
	settings: PartialSettings.default({}),
	surface: z.object({ name: z.string(), version: z.string() }).default({ name: "unknown", version: "0" }),
	locale: z.string().optional(),
	/** Where the workspace folders are, seen from the editor's window. */
	environment: z.enum(["local", "remote", "container"]).default("local"),
	/** The editor's own ripgrep, when it ships one. */
	ripgrep: z.string().optional(),
});
export type HostOptions = z.infer<typeof HostOptions>;
