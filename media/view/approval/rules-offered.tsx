import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import type { ApprovalSubject } from "../../../agent-host/protocol/approval/approval.ts";
import { t } from "../../../l10n/t.ts";
import { describeRules } from "../../model/approval/approval-words.ts";
import { EscapedText } from "../parts/escaped-text.tsx";
import { sentence } from "../parts/sentence.ts";

interface Props {
	readonly subject: Extract<ApprovalSubject, { readonly kind: "command" }>;
	/** The rules will count in the workspace folder only. */
	readonly isHere: boolean;
	/** Undefined if that cannot be chosen. */
	readonly onLimit: ((isHere: boolean) => void) | undefined;
}

/** Exactly what "Always allow" saves, and where it counts. */
export function RulesOffered({ subject, isHere, onLimit }: Props) {
	const rules = describeRules(subject).map((rule) => <Code key={rule} text={rule} />);
	const list = rules.map((rule, index) => (
		<Fragment key={rule.key}>
			{index > 0 && ", "}
			{rule}
		</Fragment>
	));
	return (
		<div class="rule quiet">
			<p>{describe(subject, list, isHere)}</p>
			{onLimit !== undefined && (
				<label class="rule-scope">
					<input type="checkbox" checked={isHere} onChange={(event) => onLimit(event.currentTarget.checked)} />
					{t("Only in this workspace")}
				</label>
			)}
		</div>
	);
}

function describe(subject: Props["subject"], rules: ComponentChildren, isHere: boolean): ComponentChildren {
	const folder = <Code text={subject.rulesFolder ?? ""} />;
	if (subject.containment === "none") {
		return isHere
			? sentence(
					"“Always allow” saves a rule in your user settings: exactly {0} runs without a sandbox and without asking, in {1}.",
					rules,
					folder,
				)
			: sentence(
					"“Always allow” saves a rule in your user settings: exactly {0} runs without a sandbox and without asking, in all threads.",
					rules,
				);
	}
	return isHere
		? sentence(
				"“Always allow” saves a rule in your user settings: commands in {1} that start with {0} run without asking.",
				rules,
				folder,
			)
		: sentence(
				"“Always allow” saves a rule in your user settings: commands that start with {0} run without asking, in all threads.",
				rules,
			);
}

function Code({ text }: { readonly text: string }) {
	return (
		<code class="code-inline">
			<EscapedText text={text} />
		</code>
	);
}
