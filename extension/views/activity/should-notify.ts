/** Whether somebody who may be looking elsewhere wants to be told; a setting that says nothing known counts as the default. */
export function shouldNotify(
	setting: unknown,
	{ isInView, isFocused }: { readonly isInView: boolean; readonly isFocused: boolean },
): boolean {
	if (setting === "always") return true;
	return setting !== "off" && !(isInView && isFocused);
}
