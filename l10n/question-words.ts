import { t } from "./t.ts";

/** What the host found, shown before the user chooses. */
export function describeQuestion(subject: Repeated): string {
	return t("The agent made the same call {0} times with the same result: {1}", subject.times, subject.title);
}

interface Repeated {
	readonly kind: "loop";
	readonly title: string;
	readonly times: number;
}

export function describeChoice(choice: "continue" | "stop" | undefined): string {
	switch (choice) {
		case "continue":
			return t("You let the agent keep going.");
		case "stop":
			return t("You stopped the agent.");
		case undefined:
			return t("No answer.");
	}
}
