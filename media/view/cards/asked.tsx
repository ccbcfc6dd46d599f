import { t } from "../../../l10n/t.ts";
import { describeOutcome } from "../../model/approval/approval-words.ts";
import type { ApprovalEntry, ToolEntry } from "../../model/thread/entry.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { SubjectView } from "../approval/approval-subject.tsx";
import { Fold } from "../parts/fold.tsx";

type Asked = Pick<ToolEntry, "asked">;

/** Whether the user or the policy denied the call, which the tool reports as a failure. */
export function isDenied({ asked, isRefused, status }: Pick<ToolEntry, "asked" | "isRefused" | "status">): boolean {
	if (isRefused) return status === "failed";
	return asked.some(({ state }) => {
		if (state.kind !== "resolved" || !/^(?:deny|abort)$/.test(state.decision)) return false;
		// The request of a stopped turn is withdrawn, which nobody denied.
		return state.by === "user" || status !== "interrupted";
	});
}

/** Whether the call waits for the user. */
export function awaitsAnswer({ asked }: Asked): boolean {
	return asked.some(({ state }) => state.kind === "pending");
}

/** Below the line of a call: each of its approvals, with the user's note. */
export function AskedDetails({ entry: { asked } }: { readonly entry: Asked }) {
	return asked.map((approval) => (
		<Fold
			key={approval.key}
			id={approval.key}
			summary={<span class="fold-title quiet">{showInvisible(describeAnswer(approval))}</span>}
			draw={() => <SubjectView entry={approval} frame={(whole) => <div class="long-part">{whole}</div>} />}
		/>
	));
}

function describeAnswer(entry: ApprovalEntry): string {
	const { state } = entry;
	const note = state.kind === "resolved" && state.note !== undefined ? t(", with the note “{0}”", state.note) : "";
	return `${describeOutcome(entry)}${note}`;
}
