import * as vscode from "vscode";
import { t } from "../../../l10n/t.ts";
import { withoutLinks } from "../../facts/show-message.ts";
import { describeFailure } from "../../host/call.ts";

interface Question<T> {
	readonly title: string;
	readonly prompt: string;
	readonly value?: string;
	readonly placeholder?: string;
	readonly password?: boolean;
	/** Why the value cannot be right, without asking anybody. */
	readonly refuse: (value: string) => string | undefined;
	/** Tries the value until the user cancels. If it fails, the input stays open with the reason. */
	readonly check: (value: string, stop: AbortSignal) => Promise<T>;
	/** Goes on without the check; absent if that makes no sense after this failure. */
	readonly skip?: (value: string, error: unknown) => T | undefined;
}

/** Asks for a value that works. What was refused stays in the input, with the reason; undefined if the user cancels. */
export function askChecked<T>(question: Question<T>): Promise<T | undefined> {
	const input = vscode.window.createInputBox();
	input.title = question.title;
	input.prompt = question.prompt;
	input.placeholder = question.placeholder ?? "";
	input.value = question.value ?? "";
	input.password = question.password ?? false;
	input.ignoreFocusOut = true;
	const goOn = { iconPath: new vscode.ThemeIcon("debug-step-over"), tooltip: t("Continue Anyway") };
	const cancelled = new AbortController();
	let failed: { readonly value: string; readonly result: T } | undefined;
	return new Promise<T | undefined>((resolve) => {
		const finish = (result: T | undefined): void => {
			resolve(result);
			input.dispose();
		};
		const accept = async (): Promise<void> => {
			const value = input.value.trim();
			input.validationMessage = question.refuse(value);
			if (input.validationMessage !== undefined || input.busy) return;
			input.busy = true;
			input.enabled = false;
			try {
				finish(await question.check(value, cancelled.signal));
			} catch (error) {
				if (cancelled.signal.aborted) return;
				input.busy = false;
				input.enabled = true;
				input.validationMessage = withoutLinks(describeFailure(error));
				const result = question.skip?.(value, error);
				failed = result === undefined ? undefined : { value, result };
				input.buttons = failed === undefined ? [] : [goOn];
			}
		};
		input.onDidAccept(() => void accept());
		input.onDidChangeValue(() => {
			input.validationMessage = undefined;
			input.buttons = [];
		});
		input.onDidTriggerButton(() => failed && finish(failed.result));
		input.onDidHide(() => {
			cancelled.abort();
			finish(undefined);
		});
		input.show();
	});
}
