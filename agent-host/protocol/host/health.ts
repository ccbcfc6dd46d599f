import * as z from "zod";
import { ThreadId } from "../ids.ts";
import { defineMethod } from "../method.ts";
import { HostText, SaidFields } from "../say.ts";
import { SandboxKind } from "../settings/policy-settings.ts";

const Allowed = z.enum(["allowed", "refused"]);

/** One thing that the probe command tried. */
export const PolicyAttempt = z.object({
	/** The attempt, such as "create a file in /repo". */
	what: z.string(),
	whatSaid: SaidFields.optional(),
	/** The outcome that the policy requires. */
	expected: Allowed,
	/** `untried`: the command ended before this attempt. */
	happened: z.enum([...Allowed.options, "untried"]),
	ok: z.boolean(),
});
export type PolicyAttempt = z.infer<typeof PolicyAttempt>;

export const PolicyProbe = z.object({
	/**
	 * `held`: everything matched the policy. `broken`: something did not. `notRun`: no command was started, because of
	 * `reason`.
	 */
	state: z.enum(["held", "broken", "notRun"]),
	at: z.number(),
	ms: z.number(),
	/** Digest of the policy that was tried. */
	digest: z.string(),
	sandbox: SandboxKind,
	reason: z.string().optional(),
	reasonSaid: SaidFields.optional(),
	attempts: z.array(PolicyAttempt),
});
export type PolicyProbe = z.infer<typeof PolicyProbe>;

export const policyProbe = defineMethod(
	"policy/probe",
	"Tests the sandbox: a command in the same sandbox as the agent's attempts what the policy of the next turn allows and refuses. Leaves nothing behind.",
	{ params: z.object({ threadId: ThreadId.optional() }), result: PolicyProbe },
);

/** When the policy was last tried on the running host, and the result. */
export const LastProbe = PolicyProbe.pick({ at: true, digest: true, state: true });
export type LastProbe = z.infer<typeof LastProbe>;

export const DoctorArea = z.enum([
	"Versions",
	"Sandbox",
	"Policy",
	"Storage",
	"Threads",
	"Model",
	"Learned server limits",
	"MCP servers",
	"Limits",
	"Recent problems",
]);

/** One part of the host's health. */
export const DoctorCheck = z.object({
	name: DoctorArea,
	state: z.enum(["ok", "note", "problem"]),
	/** Facts, one line each. */
	lines: z.array(HostText),
	/** The remedy, if there is a problem. */
	fix: HostText.optional(),
});
export type DoctorCheck = z.infer<typeof DoctorCheck>;

export const DoctorReport = z.object({
	healthy: z.boolean(),
	checks: z.array(DoctorCheck),
	/** The whole report as Markdown to paste into an issue: without secrets, and with the home folder as `~`. */
	text: z.string(),
});
export type DoctorReport = z.infer<typeof DoctorReport>;

export const hostDoctor = defineMethod(
	"host/doctor",
	"Checks everything the host needs: versions, sandbox, storage, threads, model settings, limits, recent errors.",
	{
		params: z.object({
			/** `ask`: list the model server's models, with the stored key. */
			server: z.enum(["skip", "ask"]).default("skip"),
		}),
		result: DoctorReport,
	},
);
