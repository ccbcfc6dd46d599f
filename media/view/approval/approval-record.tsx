import { t } from "../../../l10n/t.ts";
import { describeOutcome, summarizeSubject } from "../../model/approval/approval-words.ts";
import type { ApprovalEntry } from "../../model/thread/entry.ts";
import { showInvisible } from "../../model/words/invisible.ts";
import { EscapedText } from "../parts/escaped-text.tsx";
import { Fold } from "../parts/fold.tsx";
import { Icon } from "../parts/icon.tsx";
import { SubjectView } from "./approval-subject.tsx";

/** An approval in the transcript: one line that opens to show the details. */
export function ApprovalRecord({ entry }: { readonly entry: ApprovalEntry }) {
	return (
		<Fold
			id={entry.key}
			summary={<Summary entry={entry} />}
			draw={() => <SubjectView entry={entry} frame={(whole) => <div class="long-part">{whole}</div>} />}
		/>
	);
}

function Summary({ entry }: { readonly entry: ApprovalEntry }) {
	const { state, request } = entry;
	const note = state.kind === "resolved" && state.note !== undefined ? t(", with the note “{0}”", state.note) : "";
	return (
		<>
			<Icon name={chooseIcon(entry)} />
			<span class="fold-title">
				{describeOutcome(entry)}:{" "}
				<span class="mono">
					<EscapedText text={summarizeSubject(request.subject)} />
				</span>
				{showInvisible(note)}
			</span>
		</>
	);
}

function chooseIcon({ state }: ApprovalEntry): string {
	if (state.kind !== "resolved") return state.kind === "pending" ? "shield" : "circle-slash";
	return state.decision === "deny" || state.decision === "abort" ? "close" : "check";
}
