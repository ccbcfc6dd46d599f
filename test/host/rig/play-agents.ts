import type { RecordedRequest } from "../../support/fake-model-request.ts";
import type { Step } from "../../support/fake-model-steps.ts";

type Plays = Readonly<Record<string, readonly Step[]>>;

/** Who asks: the name of a sub-agent, or `root`. */
export function whoAsks(request: RecordedRequest): string {
	return /<agent_role name=\\"([a-z-]+)\\"/.exec(request.text)?.[1] ?? "root";
}

/** A script for each agent, in the order of its own requests. */
export function play(plays: Plays): (request: RecordedRequest) => Step | undefined {
	const asked = new Map<string, number>();
	return (request) => {
		const who = whoAsks(request);
		const index = asked.get(who) ?? 0;
		asked.set(who, index + 1);
		return plays[who]?.[index];
	};
}

/** A call that starts a sub-agent. */
export function agent(name: string, more: object = {}): readonly [string, object] {
	return ["start_agent", { name, role: "explore", task: `Task of ${name}.`, ...more }];
}
