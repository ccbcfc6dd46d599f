import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { AttachedInput } from "../../agent-host/protocol/thread/attached.ts";
import { countOf, t } from "../../l10n/t.ts";
import type { AttachableKind } from "../../media/wire.ts";
import { rangeLabel } from "./lines.ts";
import type { Offer } from "./offer.ts";

/**
 * Offers the attachments of an earlier prompt unchanged. The editor's state is left out: it is offered as it is now.
 */
export function offerAllAgain(attached: readonly AttachedInput[]): readonly Offer[] {
	return attached.filter((input) => input.kind !== "editor").map(offerAgain);
}

function offerAgain(input: Exclude<AttachedInput, { kind: "editor" }>): Offer {
	const { kind, label } = describe(input);
	const digest = createHash("sha256").update(JSON.stringify(input)).digest("hex");
	return {
		key: `again ${digest}`,
		kind,
		label,
		title: t("{0} (as it was when attached)", label),
		read: () => input,
	};
}

function describe(input: Exclude<AttachedInput, { kind: "editor" }>): {
	readonly kind: AttachableKind;
	readonly label: string;
} {
	switch (input.kind) {
		case "file":
			return { kind: "file", label: basename(input.path) };
		case "selection":
			return { kind: "selection", label: rangeLabel(basename(input.path), input) };
		case "problems":
			return { kind: "problems", label: countOf(input.problems.length, "{0} problem", "{0} problems") };
		case "excerpt":
			return { kind: "text", label: input.title };
	}
}
