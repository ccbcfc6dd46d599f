/**
 * Files and folders that make another program run code, or change what an agent may do: version control, the editor,
 * build and shell hooks, other agents, and our own. Directly below a writable root, writing to them needs a separate
 * approval.
 */
export const PROTECTED_NAMES: readonly string[] = [
	".git",
	".hg",
	".svn",
	".jj",
	".gitmodules",
	".vscode",
	"*.code-workspace",
	".devcontainer",
	".devcontainer.json",
	".idea",
	".github",
	".gitlab-ci.yml",
	".husky",
	".githooks",
	".envrc",
	".npmrc",
	".yarnrc",
	".yarnrc.yml",
	".pnpmfile.cjs",
	".vitrine",
	".codex",
	".agents",
	".claude",
	".cursor",
	".cursorrules",
	".gemini",
	".clinerules",
	".roo",
	".continue",
	".windsurf",
	".mcp.json",
	// Editors and tools that act when a folder is opened or entered.
	".zed",
	".vs",
	".fleet",
	".cargo",
	".mise",
	".exrc",
	".nvimrc",
	".nvim.lua",
	".lvimrc",
	".dir-locals.el",
	".dir-locals-2.el",
	".gdbinit",
	".lldbinit",
	"mise*.toml",
	".mise*.toml",
	"AGENTS*.md",
	"CLAUDE*.md",
	"GEMINI*.md",
];

/** Obeyed only at the top of a repository, or by a build that the user runs there: below a root, edits are asked about. */
const OBEYED_AT_TOP = new Set([
	".gitmodules",
	".github",
	".gitlab-ci.yml",
	".npmrc",
	".yarnrc",
	".yarnrc.yml",
	".pnpmfile.cjs",
	".cargo",
]);

/** Of them, those that act or instruct an agent as soon as the folder they are in is opened or entered, at any depth. */
export const NESTED_NAMES: readonly string[] = PROTECTED_NAMES.filter((name) => !OBEYED_AT_TOP.has(name));

/**
 * Where editors keep the user's settings and extensions, below the home folder: both decide what the agent may do.
 * Relevant if the home folder, or one above it, is writable.
 */
export const EDITOR_PLACES: readonly string[] = [
	".config/Code",
	".config/Code - Insiders",
	".config/VSCodium",
	".config/Cursor",
	".config/code-server",
	".local/share/code-server",
	".vscode-server",
	".vscode-server-insiders",
	".vscode-insiders",
	".vscode-oss",
	"Library/Application Support/Code",
];

/**
 * Below the home folder: what shells, the desktop, Git and editors run or read at start. Relevant if the home folder,
 * or one above it, is writable.
 */
export const START_UP_PLACES: readonly string[] = [
	".bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc .zshrc .zshenv .zprofile .zlogin .zlogout .zsh",
	".oh-my-zsh .kshrc .cshrc .tcshrc .login .logout .config/fish .config/nushell .config/powershell .config/zsh .xprofile .xinitrc .xsession",
	".xsessionrc .pam_environment .config/environment.d .config/autostart .config/systemd .local/share/systemd .local/share/applications",
	".local/bin bin .gitconfig .config/git .hgrc .config/hg .vimrc .vim .config/nvim .emacs .emacs.d .config/emacs .tmux.conf .config/tmux",
	".screenrc .gdbinit .lldbinit .curlrc .wgetrc .config/direnv .config/mise .Rprofile .irbrc .pryrc .psqlrc .pythonrc.py",
	"Library/LaunchAgents",
].flatMap((line) => line.split(" "));

/** Where people and programs keep keys, below the home folder. */
export const SECRET_PLACES: readonly string[] = [
	".ssh",
	".gnupg",
	".aws",
	".azure",
	".kube",
	".docker",
	".netrc",
	".npmrc",
	".pypirc",
	".git-credentials",
	".password-store",
	".config/gcloud",
	".config/gh",
	".config/op",
	".config/git/credentials",
	".cargo/credentials.toml",
	".gem/credentials",
	".local/share/keyrings",
	".mozilla",
	".config/google-chrome",
	".config/chromium",
	".config/BraveSoftware",
	".config/microsoft-edge",
	".codex",
	".claude",
	".claude.json",
	".gemini",
	".vitrine",
	"Library/Keychains",
	"Library/Cookies",
	"Library/Application Support/Google/Chrome",
	"Library/Application Support/Firefox",
	"AppData/Roaming/gnupg",
	"AppData/Local/Google/Chrome/User Data",
];
