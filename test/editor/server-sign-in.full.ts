import assert from "node:assert/strict";
import { test } from "node:test";
import { FOLLOW_SYSTEM, takeBothLooks } from "../support/editor-looks.ts";
import { pictureFile } from "../support/editor-paths.ts";
import { createEditorSession } from "../support/editor-session.ts";
import { openThread } from "../support/editor-thread.ts";
import { calls, says } from "../support/fake-model-steps.ts";
import { startGuardedServer } from "../support/guarded-server.ts";
import { copySample } from "../support/sample.ts";
import { startSignInService } from "../support/sign-in-service.ts";

const session = createEditorSession();

test(
	"a user signs in to an MCP server from its row, in the browser page that the editor opens, and calls its tool",
	session.alone(async (desk) => {
		// A browser editor forwards the ports of 127.0.0.1 to addresses of its own, as it does with no service elsewhere.
		const service = await startSignInService({ consent: "page", host: "::1" });
		desk.defer(async () => service.close());
		const web = await startGuardedServer(service);
		desk.defer(async () => web.close());
		const { window, chat, play } = await openThread(
			desk,
			{ folder: copySample(desk.editor.root) },
			{
				"security.workspace.trust.enabled": false,
				"vitrine.servers": { web: { url: `${web.origin}/mcp` } },
				...FOLLOW_SYSTEM,
			},
		);
		await window.page.setViewportSize({ width: 1_400, height: 1_000 });
		await window.expandView("MCP Servers");
		const row = window.treeRow("MCP Servers", "web").first();
		await window.pressInRow(row, "Start MCP Server");
		await row.filter({ hasText: "Needs you to sign in" }).waitFor();
		await window.treeRow("MCP Servers", "Sign in to use its tools.").waitFor();
		await takeBothLooks(window, "sign-in tree");

		await window.pressInRow(row, "Sign In to MCP Server");
		const dialog = window.page.locator(".monaco-dialog-box", { hasText: "Sign in to the MCP server web?" });
		await dialog.waitFor();
		await takeBothLooks(window, "sign-in dialog");
		const opening = desk.context.waitForEvent("page");
		await dialog.getByRole("button", { name: "Open Browser" }).click();
		const browser = await opening;
		await browser.getByRole("button", { name: "Allow" }).waitFor();
		assert.ok(browser.url().startsWith(service.issuer));
		for (const look of ["dark", "light"] as const) {
			await browser.emulateMedia({ colorScheme: look });
			await browser.screenshot({ path: pictureFile(`sign-in consent ${look}`) });
		}
		await takeBothLooks(window, "sign-in waiting");
		await browser.getByRole("button", { name: "Allow" }).click();
		await row.filter({ hasText: "Running, 2 tools" }).waitFor();
		await browser.screenshot({ path: pictureFile("sign-in done page") });
		await window.page.bringToFront();
		await window.expandRow(row);
		await window.treeRow("MCP Servers", "read").waitFor();
		await takeBothLooks(window, "sign-in running");

		play(calls("mcp__web__read", {}), says("Ada has read it."));
		await chat.ask("Read it.");
		await (await chat.question()).decide("allow");
		await chat.waitForEnd();
		const card = chat.rows("toolCall").filter({ hasText: "read" });
		await card.locator("summary, button").first().click();
		await card.getByText("read as ada").waitFor();
		await takeBothLooks(window, "sign-in tool card");

		await window.choose("Sign Out of MCP Server", row, { button: "right" });
		await window.page.locator(".notification-toast", { hasText: "Signed out of web." }).waitFor();
		await row.filter({ hasText: /Needs you to sign in|Not running/ }).waitFor();
		await takeBothLooks(window, "sign-in signed out");
		assert.ok(service.asked.includes("POST /token/revocation"));
		assert.deepEqual(window.pageErrors, []);
	}),
);
