import { execFileSync } from "node:child_process";
import { join } from "node:path";

const ENVIRONMENT = { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };

/** Git as the user calls it, outside the sandbox. */
export function git(folder: string, ...args: readonly string[]): string {
	return execFileSync("git", ["-C", folder, ...args], { env: ENVIRONMENT, encoding: "utf8", stdio: "pipe" });
}

/** Files of a workspace to plant in. */
export const PLANTED_IN: Readonly<Record<string, string>> = {
	"lib/a.txt": "a",
	"lib/hooks-here/readme": "",
	"lib/shared.gitconfig": "",
};

/** Makes its nested repository `lib`, a worktree of that, and the bare repository `store`. */
export function makeRepositories(workspace: string): void {
	const at = (path: string) => join(workspace, path);
	git(workspace, "init", "-q", "lib");
	for (const path of ["../shared.gitconfig", "../missing.gitconfig"])
		git(at("lib"), "config", "--add", "include.path", path);
	git(at("lib"), "config", "core.hooksPath", "hooks-here");
	git(at("lib"), "-c", "user.name=n", "-c", "user.email=e@example.org", "commit", "-q", "--allow-empty", "-m", "one");
	git(at("lib"), "worktree", "add", "-q", at("tree"));
	git(workspace, "init", "-q", "--bare", "store");
}

/** Scripts that plant a program for Git, in a workspace with a nested repository `lib` and a bare one `store`. */
export const PLANTINGS: Readonly<Record<string, string>> = {
	"the configuration of a nested repository": 'git -C lib config core.fsmonitor "$TRAP"',
	"a hook of a nested repository":
		'mkdir -p lib/.git/hooks && echo "$TRAP" > lib/.git/hooks/post-index-change && chmod +x lib/.git/hooks/*',
	"the pointer file of a worktree":
		"git init -q other; git -C other config core.fsmonitor \"$TRAP\"; mv other/.git planted; rm -f tree/.git; echo 'gitdir: ../planted' > tree/.git",
	"a nested repository swapped for another":
		'git init -q new && git -C new config core.fsmonitor "$TRAP" && mv lib/.git lib/old; mv new/.git lib/.git',
	"a new repository": 'git init -q made && git -C made config core.fsmonitor "$TRAP"',
	"a new repository behind a thousand decoys":
		'for i in $(seq 1100); do mkdir -p d$i; done; mkdir d7/x && git init -q d7/x && git -C d7/x config core.fsmonitor "$TRAP"',
	"a new repository inside node_modules":
		'mkdir -p node_modules/a && git init -q node_modules/a && git -C node_modules/a config core.fsmonitor "$TRAP"',
	"a new repository under another name":
		'git init -q --bare docs && git -C docs config core.bare false && git -C docs config core.worktree . && git -C docs config core.fsmonitor "$TRAP"',
	"the workspace itself as a repository":
		'git init -q --bare x && git -C x config core.bare false && git -C x config core.worktree "$PWD" && git -C x config core.fsmonitor "$TRAP" && mv x/* .',
	"the configuration of a bare repository":
		'git -C store config core.bare false; git -C store config core.worktree "$PWD/store"; git -C store config core.fsmonitor "$TRAP"',
	"a repository in what was set aside":
		'git init -q a && mkdir -p a/.git/b && git init -q a/.git/b && git -C a/.git/b config core.fsmonitor "$TRAP"',
	"names taken before what is set aside needs them":
		"for i in '' $(seq -f '-%g' 120); do mkdir -p \"sub/.git.made-by-a-command$i/x\"; done; git init -q sub && git -C sub config core.fsmonitor \"$TRAP\"",
	"what the configuration includes": "printf '[core]\\n\\tfsmonitor = %s\\n' \"$TRAP\" > lib/shared.gitconfig",
	"what the configuration would include if it existed":
		"printf '[core]\\n\\tfsmonitor = %s\\n' \"$TRAP\" > lib/missing.gitconfig",
	"the folder of hooks that the configuration names":
		"printf '#!/bin/sh\\n%s\\n' \"$TRAP\" > lib/hooks-here/post-index-change; chmod +x lib/hooks-here/*",
};

/** A planting whose program is this one. */
export function withTrap(script: string, program: string): string {
	return `export GIT_CONFIG_NOSYSTEM=1 HOME=/nonexistent TRAP=${quote(program)}; ${script}`;
}

function quote(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}
