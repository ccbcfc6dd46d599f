// Pictures of the panel for people to look at. Only with `npm test -- editor --full`, or with VITRINE_PICTURES set.
import { createEditorSession, type Desk } from "../support/editor-session.ts";
import { copySample } from "../support/sample.ts";

interface Look {
	readonly name: string;
	readonly theme: string;
	readonly width: number;
}

const LOOKS: readonly Look[] = [
	{ name: "light", theme: "Default Light Modern", width: 1280 },
	{ name: "dark", theme: "Default Dark Modern", width: 1280 },
	{ name: "high contrast", theme: "Default High Contrast", width: 1280 },
	{ name: "narrow", theme: "Default Dark Modern", width: 560 },
];

const session = createEditorSession();
for (const look of LOOKS) session.test(`pictures: ${look.name}`, (desk) => takePictures(desk, look));

async function takePictures(desk: Desk, { name, theme, width }: Look): Promise<void> {
	desk.editor.writeUserSettings({
		"security.workspace.trust.enabled": false,
		"workbench.colorTheme": theme,
	});
	const window = await desk.open({ folder: copySample(desk.editor.root) });
	await window.page.setViewportSize({ width, height: 800 });
	const shoot = (moment: string) => window.screenshot(`${name} ${moment}`);
	await window.command("Vitrine: Open Chat");
	const chat = await window.chat();
	await chat.banner("demo").waitFor();
	await shoot("welcome");
	await chat.ask("Why does the receipt show no discount for ten apples?");
	await chat.waitForEnd();
	await shoot("answered");
	await chat.ask("And now a long answer with code, please");
	await chat.waitForAnswer(400);
	await shoot("streaming");
	await chat.stop.click();
	await chat.rows("turnEnd").waitFor();
	await shoot("stopped");
}
