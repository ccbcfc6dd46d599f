/** Which of the pending approvals is shown, and where it is among them. */
export interface Choice {
	readonly key: string;
	readonly place: number;
}

/** Stays with the shown approval while it is pending, then goes on to the one that takes its place. */
export function chooseApproval(pending: readonly string[], shown: Choice | undefined): Choice | undefined {
	const same = shown === undefined ? 0 : pending.indexOf(shown.key);
	const place = same >= 0 ? same : Math.min(shown?.place ?? 0, pending.length - 1);
	const key = pending[place];
	return key === undefined ? undefined : { key, place };
}
