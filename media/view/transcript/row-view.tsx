import { Component, type ComponentChildren } from "preact";
import type { EntryRow, Row } from "../../model/thread/rows.ts";
import { ApprovalRecord } from "../approval/approval-record.tsx";
import { QuestionRecord } from "../approval/question-card.tsx";
import { CompactionCard } from "../cards/compaction-card.tsx";
import { DraftCard } from "../cards/draft-card.tsx";
import { ChangedFiles, RestoredFiles, RolledBack } from "./entries/changes.tsx";
import { GoalReport } from "./entries/goal-report.tsx";
import { BlockView, CutMark, Reasoning, UserMessage } from "./entries/message.tsx";
import { ContextUpdate, Notice, Warning } from "./entries/notice.tsx";
import { StepsLine } from "./entries/steps-line.tsx";
import { ToolCall } from "./entries/tool-call.tsx";
import { TurnEnd } from "./entries/turn-end.tsx";
import { TurnSummary } from "./entries/turn-summary.tsx";

interface Props {
	readonly row: Row;
}

export function drawRow(row: Row): ComponentChildren {
	return <RowView key={row.key} row={row} />;
}

/** Redraws only if the row is a different object, so scrolling and streaming leave other rows alone. */
class RowView extends Component<Props> {
	override shouldComponentUpdate(next: Props): boolean {
		return next.row !== this.props.row;
	}

	override render({ row }: Props): ComponentChildren {
		return (
			<div
				class={isFolded(row) ? "row step" : "row"}
				data-row={row.key}
				data-kind={row.kind}
				data-item={row.itemId}
				tabIndex={-1}
			>
				{drawContent(row)}
			</div>
		);
	}
}

function isFolded(row: Row): boolean {
	return row.type === "entry" && row.isFolded === true;
}

function drawContent(row: Row): ComponentChildren {
	switch (row.type) {
		case "block":
			return <BlockView row={row} />;
		case "entry":
			return drawEntry(row);
		case "steps":
			return <StepsLine row={row} />;
		case "unsplit":
			return null;
	}
}

function drawEntry({ entry, text }: EntryRow): ComponentChildren {
	switch (entry.kind) {
		case "userMessage":
			return <UserMessage entry={entry} />;
		case "agentMessage":
			return <CutMark />;
		case "reasoning":
			return <Reasoning entry={entry} text={text} />;
		case "toolCall":
			return <ToolCall entry={entry} output={text} />;
		case "draft":
			return <DraftCard text={text} />;
		case "notice":
			return <Notice entry={entry} />;
		case "context":
			return <ContextUpdate entry={entry} />;
		case "approval":
			return <ApprovalRecord entry={entry} />;
		case "question":
			return <QuestionRecord entry={entry} />;
		case "contextCompaction":
			return <CompactionCard entry={entry} />;
		case "goal":
			return <GoalReport entry={entry} />;
		case "warning":
			return <Warning entry={entry} />;
		case "changes":
			return <ChangedFiles entry={entry} />;
		case "restored":
			return <RestoredFiles entry={entry} />;
		case "rolledBack":
			return <RolledBack entry={entry} />;
		case "turnSummary":
			return <TurnSummary id={entry.key} facts={entry.facts} />;
		case "turnEnd":
			return <TurnEnd entry={entry} />;
	}
}
