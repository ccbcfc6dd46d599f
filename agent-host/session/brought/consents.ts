import type { ConsentAnswer, Customization } from "../../capabilities/consent/customization.ts";
import { answerWith, judgeConsent, type Standing } from "../../capabilities/consent/judge-consent.ts";
import type { ConsentFiles, StoredAnswer } from "../../store/home/consent-file.ts";

/** A customization, and what the user has said about it. */
export interface JudgedCustomization {
	readonly one: Customization;
	readonly standing: Standing;
	readonly answer: ConsentAnswer | undefined;
}

/** The user's answers about what workspaces bring along, bound to the exact content. */
export interface Consents {
	readonly judge: (found: readonly Customization[]) => Promise<readonly JudgedCustomization[]>;
	/** If it cannot be stored, the answer counts until the host ends. */
	readonly settle: (judged: readonly JudgedCustomization[], decision: ConsentAnswer["decision"]) => Promise<void>;
}

export function createConsents(files: ConsentFiles, log: (message: string) => void): Consents {
	/** What could not be stored. */
	const unstored = new Map<string, ConsentAnswer>();
	const keyOf = ({ kind, path }: Pick<StoredAnswer, "kind" | "path">): string => `${kind}\n${path}`;
	const find = async ({ kind, path }: Customization): Promise<ConsentAnswer | undefined> =>
		unstored.get(keyOf({ kind, path })) ?? (await files.read({ kind, path }));
	return {
		judge: (found) =>
			Promise.all(
				found.map(async (one) => {
					const answer = await find(one);
					return { one, answer, standing: judgeConsent(one, answer) };
				}),
			),
		async settle(judged, decision) {
			for (const { one, answer } of judged) {
				const { kind, path } = one;
				const next = answerWith(one, decision, answer);
				unstored.delete(keyOf(one));
				await files.write({ kind, path, ...next }).catch((error: unknown) => {
					unstored.set(keyOf(one), next);
					log(`An answer about ${path} could not be stored: ${error}`);
				});
			}
		},
	};
}
