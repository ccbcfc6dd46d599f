/** Whether to play a sound: only if the user wants that, and is not in this window. */
export function shouldChime(setting: unknown, isFocused: boolean): boolean {
	return setting === true && !isFocused;
}

/** Whether to notify a user who may be looking elsewhere; an unknown value counts as the default. */
export function shouldNotify(
	setting: unknown,
	{ isInView, isFocused }: { readonly isInView: boolean; readonly isFocused: boolean },
): boolean {
	if (setting === "always") return true;
	return setting !== "off" && !(isInView && isFocused);
}
