import { MAX_LISTED_MODELS, type modelDiscover, type modelList } from "../../../agent-host/protocol/host/host.ts";
import type { ResultOf } from "../../../agent-host/protocol/method.ts";
import type { contextInspect } from "../../../agent-host/protocol/thread/context.ts";
import { countOf, type Message, t } from "../../../l10n/t.ts";

type Offered = ResultOf<typeof modelList>["models"][number];
type Found = ResultOf<typeof modelDiscover>["servers"][number];

const SOURCES: Readonly<Record<Offered["windowSource"], Message>> = {
	setting: "your setting",
	server: "reported by the server",
	table: "built-in table",
	learned: "learned from a context overflow",
	assumed: "assumed",
};

/** "400,000 tokens (built-in table)": the context window, and where its size comes from. */
export function describeWindow({ window, windowSource }: Pick<Offered, "window" | "windowSource">): string {
	return t("{0} tokens ({1})", window, t(SOURCES[windowSource]));
}

/** "400,000 tokens (built-in table), $1.25 in, $10 out per million, images, reasoning": as far as it is known. */
export function describeOffered({ price, images, reasoning, ...offered }: Offered): string {
	return [
		describeWindow(offered),
		...(price === undefined
			? []
			: [t("{0} in, {1} out per million", formatPrice(price.input), formatPrice(price.output))]),
		...(images ? [t("images")] : []),
		...(reasoning ? [t("reasoning")] : []),
	].join(", ");
}

/** Beside a list that may lack models, because the host lists no more of one server. */
export function describeCut(listed: number): string | undefined {
	return listed < MAX_LISTED_MODELS ? undefined : t("only the first {0} models are listed", MAX_LISTED_MODELS);
}

/** "$0.075": at most three digits behind the point: prices go down to tenths of a cent. */
function formatPrice(dollars: number): string {
	return `$${Math.round(dollars * 1_000) / 1_000}`;
}

/** "127.0.0.1:11434, 3 models". */
export function describeServer({ baseUrl, models }: Found): string {
	return `${new URL(baseUrl).host}, ${countOf(models.length, "{0} model", "{0} models")}`;
}

/**
 * Describes how many cached tokens a change of model or effort makes the provider process again; undefined below the
 * user's threshold.
 */
export function describeReread(
	{ items }: Pick<ResultOf<typeof contextInspect>, "items">,
	limit: number,
): string | undefined {
	const tokens = items.reduce((sum, item) => sum + (item.cached ? item.tokens : 0), 0);
	if (tokens <= limit) return undefined;
	return t("Switching re-sends about {0} tokens without cache.", tokens);
}
