import { type FirstCommand, file } from "./first-command.ts";

const UNIT_TEST = file(
	"test_sum.py",
	"import unittest",
	"class Sum(unittest.TestCase):",
	"    def test_sum(self): self.assertEqual(1 + 1, 2)",
);

export const PYTHON_COMMANDS: readonly FirstCommand[] = [
	{
		toolchain: "Python in ~/.pyenv",
		version: "pyenv --version && python3 --version",
		prepare: UNIT_TEST,
		command: "python3 -m unittest",
	},
	{
		toolchain: "pip, wheels in the project",
		version: "python3 -m pip --version | cut -d' ' -f1,2",
		prepare: `${file("dep/pyproject.toml", "[build-system]", 'requires = ["setuptools"]', 'build-backend = "setuptools.build_meta"', "[project]", 'name = "dep"', 'version = "1.0"')}
			touch dep/dep.py && /usr/bin/python3 -m pip wheel --no-build-isolation --no-deps --no-index -w wheels ./dep`,
		command:
			"python3 -m venv .venv && .venv/bin/pip install --no-index --find-links wheels dep && .venv/bin/python -c 'import dep'",
	},
	{
		toolchain: "virtualenv in the project",
		version: "virtualenv --version | cut -d' ' -f1,2",
		prepare: `${UNIT_TEST} virtualenv -q .venv`,
		command: ". .venv/bin/activate && python -m unittest && virtualenv -q other && other/bin/python --version",
	},
	{
		toolchain: "virtualenv in ~/.virtualenvs",
		version: "virtualenv --version | cut -d' ' -f1,2",
		prepare: `${UNIT_TEST} virtualenv -q ~/.virtualenvs/project`,
		command: "~/.virtualenvs/project/bin/python -m unittest",
	},
	{
		toolchain: "pipx",
		version: "pipx --version",
		prepare: `${file("tool/setup.py", "from setuptools import setup", "setup(name='tool', version='1', py_modules=['tool'], entry_points={'console_scripts': ['vitrine-tool = tool:main']})")}
			echo 'def main(): print("ran")' > tool/tool.py
			test -x ~/.local/bin/vitrine-tool || { V=~/.local/share/pipx/venvs/tool && mkdir -p ~/.local/bin && /usr/bin/python3 -m venv --system-site-packages $V && $V/bin/pip install -q --no-index --no-build-isolation ./tool && ln -s $V/bin/vitrine-tool ~/.local/bin/; }`,
		command: "~/.local/bin/vitrine-tool",
	},
	{
		toolchain: "Poetry",
		version: "poetry --version",
		prepare: `${UNIT_TEST}${file("pyproject.toml", "[tool.poetry]", 'name = "project"', 'version = "1.0.0"', 'description = ""', "authors = []", "[tool.poetry.dependencies]", 'python = ">=3.9"')}
			poetry env use /usr/bin/python3 && poetry install --no-root`,
		command: "poetry run python -m unittest",
	},
	{
		toolchain: "uv",
		version: "uv --version",
		prepare: UNIT_TEST,
		command: "uv run --offline --no-project python -m unittest",
	},
];
