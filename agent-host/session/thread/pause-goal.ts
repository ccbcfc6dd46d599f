import { nameSaid, type Said } from "../../protocol/say.ts";
import type { Goal } from "../../protocol/thread/goal.ts";

export function pauseGoal(goal: Goal, said: Said): Goal {
	return { ...goal, state: "paused", verifying: false, reason: said.text, reasonSaid: nameSaid(said) };
}
