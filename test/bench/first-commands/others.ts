import { type FirstCommand, file } from "./first-command.ts";

export const OTHER_COMMANDS: readonly FirstCommand[] = [
	{
		toolchain: "Bundler, gem in ~/.local/share/gem",
		version: "bundle --version",
		prepare: `${file("dep/dep.gemspec", "Gem::Specification.new { |s| s.name = 'dep'; s.version = '1.0'; s.summary = s.author = 'dep'; s.files = ['lib/dep.rb'] }")}${file("dep/lib/dep.rb", "ONE = 1")}
			(cd dep && gem build -q dep.gemspec && gem install -q --local --user-install dep-1.0.gem) && rm -r dep
			${file("Gemfile", "source 'https://rubygems.org'", "gem 'dep'", "gem 'rake'")} ${file("Rakefile", "require 'dep'", "task(:default) { puts ONE }")}`,
		command: "bundle install --local && bundle exec rake",
	},
	{
		toolchain: "Composer, package in ~/.cache/composer",
		version: "composer --version | cut -d' ' -f1-3",
		prepare: `mkdir -p ~/dep-php && echo '<?php function one() { return 1; }' > ~/dep-php/dep.php && (cd ~ && rm -f dep-php.tar && tar cf dep-php.tar dep-php)
			cat > composer.json <<END
{"repositories":[{"packagist.org":false},{"type":"package","package":{"name":"a/dep","version":"1.0.0","dist":{"url":"file://$HOME/dep-php.tar","type":"tar"},"autoload":{"files":["dep.php"]}}}],"require":{"a/dep":"1.0.0"}}
END
			composer install -q && rm -r vendor`,
		command: "composer install && php -r 'require \"vendor/autoload.php\"; exit(one() - 1);'",
	},
	{ toolchain: "PHP", version: "php --version | head -1 | cut -d' ' -f1,2", command: "php -r 'echo PHP_VERSION;'" },
	{
		toolchain: "Mix",
		version: "mix --version | tail -1 | cut -d' ' -f1,2",
		prepare: "mix new --app project . > /dev/null",
		command: "mix test",
	},
	{
		toolchain: "rebar3",
		version: "rebar3 --version | cut -d' ' -f1,2",
		prepare: `${file("src/project.app.src", '{application, project, [{vsn, "1"}, {applications, [kernel, stdlib]}]}.')}${file("src/project.erl", "-module(project).", '-include_lib("eunit/include/eunit.hrl").', "one_test() -> 1 = 1.")}`,
		command: "rebar3 eunit",
	},
	{
		toolchain: "Perl, module in ~/perl5",
		version: "perl -e 'print $^V'",
		prepare: file("~/perl5/lib/perl5/Dep.pm", "package Dep; sub one { 1 } 1;"),
		command: "perl -I ~/perl5/lib/perl5 -MDep -e 'exit(Dep::one() - 1)'",
	},
	{
		toolchain: "Git with ~/.gitconfig",
		version: "git --version",
		prepare: `git init -q . && echo '*.tmp' > ~/.gitignore_vitrine && git config --global core.excludesFile ~/.gitignore_vitrine && git config --global alias.st 'status --short' && git config --global user.name vtool && git config --global user.email vtool@example.org
			touch a.tmp b.txt && git add b.txt && git commit -qm one`,
		command: "touch c.tmp && test \"$(git st)\" = '' && git log --format=%an | grep vtool",
	},
];
