import type { ApprovalSubject } from "../protocol/approval/approval.ts";
import { nameSaid } from "../protocol/say.ts";
import type { CommandCall, CommandSubject } from "./command-call.ts";

type Facts = Omit<Extract<ApprovalSubject, { readonly kind: "command" }>, "kind">;

/** What a card shows about a command, whether it will be started or already runs. */
export function commandFacts({ command, cwd }: CommandCall, about: CommandSubject): Facts {
	return {
		argv: [...about.argv],
		...(typeof command === "string" ? { shell: command } : {}),
		cwd,
		...(about.cwd === cwd ? {} : { resolvedCwd: about.cwd }),
		...(about.program === undefined ? {} : { program: about.program }),
		...(about.programIdentity === undefined ? {} : { programIdentity: about.programIdentity }),
		environment: [...about.environment],
		sandbox: about.sandbox.text,
		sandboxSaid: nameSaid(about.sandbox),
		...(about.containment === "none" ? { containment: "none" as const } : {}),
		policyDigest: about.policyDigest,
		network: about.network.text,
		networkSaid: nameSaid(about.network),
		...(about.inputOpenMs === undefined ? {} : { inputOpenMs: about.inputOpenMs }),
	};
}
