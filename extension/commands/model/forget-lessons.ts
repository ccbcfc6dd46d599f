import { modelForgetLessons } from "../../../agent-host/protocol/host/host.ts";
import { countOf, t } from "../../../l10n/t.ts";
import { showInformation } from "../../facts/show-message.ts";
import type { Parts } from "../parts.ts";

/** Lets the host try again what model servers have refused. */
export async function forgetLessons({ host }: Parts): Promise<void> {
	const { forgotten } = await host.request(modelForgetLessons, {});
	void showInformation(
		forgotten === 0
			? t("Nothing learned about model servers.")
			: countOf(
					forgotten,
					"Forgot {0} learned limit. It is tried again with the next request.",
					"Forgot {0} learned limits. They are tried again with the next request.",
				),
	);
}
