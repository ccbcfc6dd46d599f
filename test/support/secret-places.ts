/** Where programs keep keys, tokens, passwords and cookies, and people their own, below the home folder. */
export const KNOWN_SECRETS: readonly string[] = [
	".ssh/id_ed25519 .ssh/config .gnupg/secring.gpg .aws/credentials .aws/sso/cache/x.json .azure/msal_token_cache.json .kube/config",
	".docker/config.json .netrc .npmrc .yarnrc.yml .bunfig.toml .pypirc .pgpass .my.cnf .git-credentials .password-store/x.gpg",
	".vault-token .config/gcloud/credentials.db .config/gh/hosts.yml .config/glab-cli/config.yml .config/op/config .config/hub",
	".config/git/credentials .config/github-copilot/apps.json .config/rclone/rclone.conf .config/containers/auth.json",
	".config/sops/age/keys.txt .config/doctl/config.yaml .config/heroku/x .config/stripe/config.toml .config/vercel/auth.json",
	".config/netlify/config.json .config/configstore/x.json .config/pip/pip.conf .config/pypoetry/auth.toml .cargo/credentials",
	".cargo/credentials.toml .gem/credentials .bundle/config .composer/auth.json .config/composer/auth.json .m2/settings.xml",
	".m2/settings-security.xml .gradle/gradle.properties .ivy2/.credentials .sbt/.credentials .nuget/NuGet/NuGet.Config .hex/hex.config",
	".terraform.d/credentials.tfrc.json .terraformrc .conan2/credentials.json .pub-cache/credentials.json .cache/huggingface/token",
	".huggingface/token .kaggle/kaggle.json .config/openai/key .local/share/keyrings/login.keyring .mozilla/firefox/x/logins.json",
	"snap/firefox/common/.mozilla/firefox/x/logins.json .var/app/org.mozilla.firefox/x .config/google-chrome/Default/Cookies",
	".config/Slack/Cookies .config/Signal/config.json .config/Bitwarden/data.json .bash_history .zsh_history .python_history .node_repl_history",
	".psql_history .lesshst .viminfo .config/Code/User/globalStorage/state.vscdb .vscode-server/data/User/globalStorage/state.vscdb",
	".electrum/wallets/x .bitcoin/wallet.dat .ethereum/keystore/x .config/solana/id.json .codex/auth.json .claude.json .gemini/oauth_creds.json",
	".bashrc .profile .zshrc .env .dotnet/corefx/cryptography/x509stores/my/x.pfx .local/share/uv/credentials/x .wgetrc .curlrc .s3cfg .boto",
	"Documents/taxes.txt Downloads/statement.pdf Desktop/passwords.txt Dropbox/keys.txt",
].flatMap((line) => line.split(" "));

/** Places that no list of names has. */
export const INVENTED_SECRETS: readonly string[] = [".x", "x", ".config/x", ".local/share/x", ".cache/x"].flatMap(
	(place) =>
		["corp-vpn", "acme", "internal-tool", "robot", "my notes", "ключи", "鍵", "backup~", "0", "UPPER"].map(
			(name) => `${place}-${name}/token`,
		),
);
