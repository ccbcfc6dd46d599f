/** Colours of VS Code's own themes, as far as the page uses them. */
export const THEMES = {
	dark: {
		bodyClass: "vscode-dark",
		colors: {
			foreground: "#cccccc",
			"editor-foreground": "#cccccc",
			"editor-background": "#1f1f1f",
			"sideBar-background": "#181818",
			descriptionForeground: "#9d9d9d",
			disabledForeground: "#cccccc80",
			errorForeground: "#f85149",
			"icon-foreground": "#cccccc",
			focusBorder: "#0078d4",
			"widget-border": "#313131",
			"panel-border": "#2b2b2b",
			"sideBarSectionHeader-border": "#2b2b2b",
			"button-background": "#0078d4",
			"button-foreground": "#ffffff",
			"button-hoverBackground": "#026ec1",
			"button-border": "#ffffff1a",
			"button-secondaryBorder": "#cccccc26",
			"input-background": "#313131",
			"input-border": "#3c3c3c",
			"input-foreground": "#cccccc",
			"input-placeholderForeground": "#989898",
			"inputValidation-errorBorder": "#be1100",
			"inputValidation-warningBorder": "#b89500",
			"textLink-foreground": "#4daafc",
			"textLink-activeForeground": "#4daafc",
			"textPreformat-foreground": "#d0d0d0",
			"textPreformat-background": "#3c3c3c",
			"textCodeBlock-background": "#2b2b2b",
			"textBlockQuote-background": "#2b2b2b",
			"textBlockQuote-border": "#616161",
			"toolbar-hoverBackground": "#5a5d5e50",
			"tree-indentGuidesStroke": "#585858",
			"editorWarning-foreground": "#cca700",
			"chat-requestBorder": "#ffffff1a",
			"chat-requestBackground": "#1f1f1f9e",
			"chat-requestBubbleBackground": "#264f784d",
			"chat-linesAddedForeground": "#54b054",
			"chat-linesRemovedForeground": "#fc6a6a",
			"scrollbarSlider-background": "#79797966",
			"debugTokenExpression-name": "#c586c0",
			"debugTokenExpression-string": "#ce9178",
			"debugTokenExpression-boolean": "#4e94ce",
			"debugTokenExpression-number": "#b5cea8",
			"symbolIcon-classForeground": "#ee9d28",
			"symbolIcon-functionForeground": "#b180d7",
			"symbolIcon-variableForeground": "#75beff",
			"symbolIcon-fieldForeground": "#75beff",
		},
	},
	light: {
		bodyClass: "vscode-light",
		colors: {
			foreground: "#3b3b3b",
			"editor-foreground": "#3b3b3b",
			"editor-background": "#ffffff",
			"sideBar-background": "#f8f8f8",
			descriptionForeground: "#3b3b3b",
			disabledForeground: "#61616180",
			errorForeground: "#f85149",
			"icon-foreground": "#3b3b3b",
			focusBorder: "#005fb8",
			"widget-border": "#e5e5e5",
			"panel-border": "#e5e5e5",
			"sideBarSectionHeader-border": "#e5e5e5",
			"button-background": "#005fb8",
			"button-foreground": "#ffffff",
			"button-hoverBackground": "#0258a8",
			"button-border": "#0000001a",
			"button-secondaryBorder": "#3b3b3b26",
			"input-background": "#ffffff",
			"input-border": "#cecece",
			"input-foreground": "#3b3b3b",
			"input-placeholderForeground": "#767676",
			"inputValidation-errorBorder": "#be1100",
			"inputValidation-warningBorder": "#b89500",
			"textLink-foreground": "#005fb8",
			"textLink-activeForeground": "#005fb8",
			"textPreformat-foreground": "#3b3b3b",
			"textPreformat-background": "#0000001f",
			"textCodeBlock-background": "#f8f8f8",
			"textBlockQuote-background": "#f8f8f8",
			"textBlockQuote-border": "#e5e5e5",
			"toolbar-hoverBackground": "#b8b8b850",
			"tree-indentGuidesStroke": "#a9a9a9",
			"editorWarning-foreground": "#bf8803",
			"chat-requestBorder": "#0000001a",
			"chat-requestBackground": "#ffffff9e",
			"chat-requestBubbleBackground": "#add6ff4d",
			"chat-linesAddedForeground": "#107c10",
			"chat-linesRemovedForeground": "#bc2f32",
			"scrollbarSlider-background": "#64646466",
			"debugTokenExpression-name": "#9b46b0",
			"debugTokenExpression-string": "#a31515",
			"debugTokenExpression-boolean": "#0000ff",
			"debugTokenExpression-number": "#098658",
			"symbolIcon-classForeground": "#d67e00",
			"symbolIcon-functionForeground": "#652d90",
			"symbolIcon-variableForeground": "#007acc",
			"symbolIcon-fieldForeground": "#007acc",
		},
	},
	contrast: {
		bodyClass: "vscode-high-contrast",
		colors: {
			foreground: "#ffffff",
			"editor-foreground": "#ffffff",
			"editor-background": "#000000",
			"sideBar-background": "#000000",
			contrastBorder: "#6fc3df",
			contrastActiveBorder: "#f38518",
			descriptionForeground: "#ffffffb3",
			disabledForeground: "#a5a5a5",
			errorForeground: "#f48771",
			"icon-foreground": "#ffffff",
			focusBorder: "#f38518",
			"widget-border": "#6fc3df",
			"button-background": "#000000",
			"button-foreground": "#ffffff",
			"button-border": "#6fc3df",
			"button-secondaryBorder": "#6fc3df",
			"input-background": "#000000",
			"input-border": "#6fc3df",
			"input-foreground": "#ffffff",
			"input-placeholderForeground": "#ffffffb3",
			"inputValidation-errorBorder": "#6fc3df",
			"inputValidation-warningBorder": "#6fc3df",
			"textLink-foreground": "#21a6ff",
			"textLink-activeForeground": "#21a6ff",
			"textPreformat-foreground": "#ffffff",
			"textCodeBlock-background": "#000000",
			"textBlockQuote-border": "#ffffff",
			"toolbar-hoverOutline": "#f38518",
			"tree-indentGuidesStroke": "#a9a9a9",
			"editorWarning-foreground": "#ffd370",
			"chat-requestBorder": "#6fc3df",
			"chat-requestBackground": "#000000",
			"chat-linesAddedForeground": "#54b054",
			"chat-linesRemovedForeground": "#f48771",
			"scrollbarSlider-background": "#6fc3df99",
			"debugTokenExpression-name": "#ffffff",
			"debugTokenExpression-string": "#f48771",
			"debugTokenExpression-boolean": "#75bdfe",
			"debugTokenExpression-number": "#89d185",
			"symbolIcon-classForeground": "#ee9d28",
			"symbolIcon-functionForeground": "#b180d7",
			"symbolIcon-variableForeground": "#75beff",
			"symbolIcon-fieldForeground": "#75beff",
		},
	},
} as const;

export type ThemeName = keyof typeof THEMES;

/** The style sheet that VS Code puts into every webview, and the variables of a theme. */
export function renderTheme(name: ThemeName): string {
	const variables = Object.entries(THEMES[name].colors).map(([key, value]) => `--vscode-${key}: ${value};`);
	return `html {
		--vscode-font-family: "DejaVu Sans", sans-serif;
		--vscode-font-size: 13px;
		--vscode-editor-font-family: "DejaVu Sans Mono", monospace;
		--vscode-editor-font-size: 12px;
		${variables.join("\n\t\t")}
		background: var(--vscode-sideBar-background);
	}
	@layer vscode-default {
		body { color: var(--vscode-editor-foreground); font-family: var(--vscode-font-family); padding: 0 20px; }
		a, a code { color: var(--vscode-textLink-foreground); }
		textarea:focus, a:focus { outline: 1px solid -webkit-focus-ring-color; outline-offset: -1px; }
		code {
			color: var(--vscode-textPreformat-foreground);
			background-color: var(--vscode-textPreformat-background);
			padding: 1px 3px;
			border-radius: 4px;
		}
		pre code { padding: 0; }
		blockquote { background: var(--vscode-textBlockQuote-background); border-color: var(--vscode-textBlockQuote-border); }
		::-webkit-scrollbar { width: 10px; height: 10px; }
		::-webkit-scrollbar-thumb { background-color: var(--vscode-scrollbarSlider-background); }
	}`;
}
