/** Whether a key belongs to an input method. Safari ends the composition before Enter, and says so by its code alone. */
export function isInInputMethod({ isComposing, keyCode }: Pick<KeyboardEvent, "isComposing" | "keyCode">): boolean {
	return isComposing || keyCode === IN_COMPOSITION;
}

const IN_COMPOSITION = 229;

/** A key with its modifiers, such as `Mod+Alt+ArrowUp`; `Mod` is Ctrl, or Cmd on a Mac. Letters are lower case. */
export function keyName(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">): string {
	const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
	const held = [ctrlKey || metaKey ? "Mod" : "", altKey ? "Alt" : "", shiftKey ? "Shift" : ""];
	return [...held.filter((name) => name !== ""), key.length === 1 ? key.toLowerCase() : key].join("+");
}
