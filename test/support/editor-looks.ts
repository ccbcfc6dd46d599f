import { pictureFile } from "./editor-paths.ts";
import type { EditorWindow } from "./editor-window.ts";

/** With these the editor follows the colors of the system, which a test can change without a reload. */
export const FOLLOW_SYSTEM = {
	"window.autoDetectColorScheme": true,
	"workbench.preferredLightColorTheme": "Default Light Modern",
	"workbench.preferredDarkColorTheme": "Default Dark Modern",
} as const;

const CLASSES = { dark: ".vs-dark", light: ".vs" } as const;

/** Leaves a picture of a window with {@link FOLLOW_SYSTEM} in each look. */
export async function takeBothLooks({ page }: EditorWindow, name: string): Promise<void> {
	for (const look of ["dark", "light"] as const) {
		await page.emulateMedia({ colorScheme: look });
		await page.locator(`.monaco-workbench${CLASSES[look]}`).waitFor();
		for (const frame of page.frames())
			await frame
				.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))
				.catch(() => undefined);
		await page.screenshot({ path: pictureFile(`${name} ${look}`) });
	}
}
