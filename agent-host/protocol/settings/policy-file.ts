import * as z from "zod";
import { EnvironmentPolicy, PolicyEntry } from "./policy-settings.ts";

const MAX_ENTRIES = 200;
const Bytes = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
const Milliseconds = z.int().min(1).max(86_400_000);

/** A policy file for the command line. An unknown key is an error: it might have been meant to close something. */
export const PolicyFile = z.strictObject({
	filesystem: z.array(PolicyEntry).max(MAX_ENTRIES).default([]),
	network: z
		.union([z.enum(["off", "on"]), z.strictObject({ allow: z.array(z.string().min(1).max(300)).max(MAX_ENTRIES) })])
		.default("off"),
	/** Whether version control, editor and agent configuration below writable roots stay read-only. */
	protect: z.boolean().default(true),
	environment: EnvironmentPolicy.prefault({}),
	limits: z
		.strictObject({
			timeoutMs: Milliseconds.optional(),
			processes: z.int().min(1).max(100_000).optional(),
			outputBytes: z.int().min(1_024).max(67_108_864).optional(),
			/** 0 means no limit, here and below. */
			memoryBytes: Bytes.optional(),
			fileBytes: Bytes.optional(),
			diskBytes: Bytes.optional(),
		})
		.default({}),
});
export type PolicyFile = z.infer<typeof PolicyFile>;

/** The older form: a mode with four options. */
export const LegacyPolicy = z.strictObject({
	sandbox_mode: z.enum(["read-only", "workspace-write", "danger-full-access", "external-sandbox"]),
	writable_roots: z.array(z.string().startsWith("/").max(4_096)).max(MAX_ENTRIES).default([]),
	network_access: z.union([z.boolean(), z.enum(["restricted", "enabled"])]).default(false),
	exclude_tmpdir_env_var: z.boolean().default(false),
	exclude_slash_tmp: z.boolean().default(false),
});
export type LegacyPolicy = z.infer<typeof LegacyPolicy>;
